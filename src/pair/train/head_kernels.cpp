#include "pair/train/head_kernels.h"

#include <torch/utils.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/device/head.h"
#include "pair/objectives/losses.h"
#include "pair/train/kernel_loss.h"

namespace pair::train {

struct HeadKernels::Compared {
  std::optional<device::AtHead> kernels;
  std::unique_ptr<models::RectifiedPass> pass;  // the hand-written pass, if the model has one; otherwise
  Features features;                            // of the model's own pass
};

HeadKernels::HeadKernels(std::shared_ptr<const StepNetwork> network) : network_(std::move(network)) {
  for (const auto& objective : network_->objectives()) {
    if (const std::optional<device::MomentFunction> function = objective->moment_function()) {
      functions_.push_back(*function);
    }
  }
  if (functions_.size() != network_->objectives().size()) {
    functions_.clear();
  }
}

HeadKernels::~HeadKernels() = default;

void HeadKernels::forget() {
  compared_.reset();
}

StepPath::Result HeadKernels::with_weights(const Batch& batch, std::span<const double> weights,
                                           data::Random& /*random*/) {
  const std::unique_ptr<Compared> at = compared(batch, {});
  return {at->kernels->readings.narrow(0, 0, static_cast<std::int64_t>(weights.size())),
          gradient_of(*at, on_device(weights))};
}

torch::Tensor HeadKernels::compare(const Batch& batch, GradientSource source, data::Random& /*random*/,
                                   const torch::Tensor& also) {
  if (source != GradientSource::head) {
    throw std::logic_error("kernels at the head only compare the head's gradients");
  }
  compared_ = compared(batch, also);
  return compared_->kernels->readings;
}

torch::Tensor HeadKernels::gradient(const torch::Tensor& weights) {
  const std::unique_ptr<Compared> at = std::exchange(compared_, nullptr);
  if (!at) {
    throw std::logic_error("Step::gradient before Step::compare");
  }
  return gradient_of(*at, weights);
}

bool HeadKernels::take(const Batch& batch) const {
  // The kernels average R_e and D_e, not the derivatives of halves.
  const bool halves = std::ranges::any_of(functions_, [](const device::MomentFunction& function) {
    return function.kind == device::MomentFunction::Kind::mean_product_of_halves;
  });
  return !functions_.empty() && !(tracked_ && halves) && !batch.measuring.inputs.defined() &&
         !batch.sizes.empty() && network_->model().head->bias.defined() &&
         objectives::equal_sizes(batch.sizes) &&
         device::takes_head(network_->model().head->weight, static_cast<std::int64_t>(batch.sizes.size()),
                            batch.sizes.front(), functions_);
}

std::unique_ptr<HeadKernels::Compared> HeadKernels::compared(const Batch& batch,
                                                             const torch::Tensor& also) const {
  auto found = std::make_unique<Compared>();
  found->pass =
      network_->half() || network_->parts() > 1 ? nullptr : network_->model().rectified_pass(batch.inputs);
  if (!found->pass) {
    found->features = network_->features_of(batch);
  }
  const torch::NoGradGuard no_graph;
  device::Head head;
  head.loss = kernel_loss(network_->loss());
  head.features = found->pass ? found->pass->features() : found->features.values.detach();
  head.labels =
      objectives::labels_for(batch.labels, head.features.size(0), network_->model().head->weight.size(0),
                             batch.sizes, network_->loss(), head.features.scalar_type());
  head.weight = network_->model().head->weight;
  head.bias = network_->model().head->bias;
  head.environments = static_cast<std::int64_t>(batch.sizes.size());
  if (tracked_) {
    const device::MomentAverages averages = tracked_->for_kernels();
    found->kernels = device::at_head(head, functions_, also, &averages);
  } else {
    found->kernels = device::at_head(head, functions_, also);
  }
  return found;
}

torch::Tensor HeadKernels::gradient_of(const Compared& compared, const torch::Tensor& weights) const {
  const torch::NoGradGuard no_graph;
  device::FeatureGradient wanted = device::FeatureGradient::none;
  if (compared.pass) {
    wanted = device::FeatureGradient::rectified;
  } else if (compared.features.trained) {
    wanted = device::FeatureGradient::plain;
  }
  const device::HeadGradient gradient = device::back_from_head(*compared.kernels, weights, wanted);
  return network_->joined(
      compared.pass ? FeaturizerGradient{compared.pass->back(gradient.features, gradient.sums), {}}
                    : network_->through_featurizer(compared.features, gradient.features, /*again=*/false),
      gradient.head);
}

torch::Tensor HeadKernels::on_device(std::span<const double> weights) {
  if (!std::equal(weights.begin(), weights.end(), host_weights_.begin(), host_weights_.end())) {
    host_weights_.assign(weights.begin(), weights.end());
    device_weights_ = torch::tensor(c10::ArrayRef<double>(host_weights_), torch::kDouble)
                          .to(network_->model().head->weight.device());
  }
  return device_weights_;
}

}  // namespace pair::train
