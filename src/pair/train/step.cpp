#include "pair/train/step.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace pair::train {

Step::Step(std::shared_ptr<models::Model> model,
           std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss,
           NetworkOptions options) {
  const bool needs_network = std::any_of(objectives.begin(), objectives.end(),
                                         [](const auto& objective) { return objective->needs_network(); });
  if (needs_network && options.parts > 1) {
    throw std::invalid_argument(
        "accumulate: expected 1 with an objective that needs the whole network, whose gradient cannot be "
        "taken in parts, got " +
        std::to_string(options.parts));
  }
  options.half = options.half && !needs_network;
  network_ = std::make_shared<StepNetwork>(std::move(model), objectives, loss, options);
  if (needs_network) {
    whole_network_ = std::make_unique<WholeNetwork>(network_);
  } else {
    head_kernels_ = std::make_unique<HeadKernels>(network_);
    cut_graph_ = std::make_unique<CutGraph>(network_);
  }
}

void Step::track_moments(double window, std::int64_t environments, torch::Device device) {
  if (cut_graph_) {
    tracked_ = std::make_shared<TrackedMoments>(window, environments, device);
    cut_graph_->track(tracked_);
    head_kernels_->track(tracked_);
  }
}

void Step::share(const Ranks& ranks) {
  if (!cut_graph_) {
    throw std::invalid_argument("ranks: expected 1 with an objective that needs the whole network, got " +
                                std::to_string(ranks.size()));
  }
  cut_graph_->share(ranks);
  shared_ = true;
}

void Step::freeze_featurizer() {
  for (torch::Tensor& parameter : network_->model().featurizer_parameters()) {
    if (parameter.requires_grad()) {
      parameter.set_requires_grad(false);
      frozen_.push_back(parameter);
    }
  }
}

void Step::thaw_featurizer() {
  for (torch::Tensor& parameter : frozen_) {
    parameter.set_requires_grad(true);
  }
  frozen_.clear();
}

StepPath& Step::path_for(const Batch& batch, GradientSource source) const {
  if (whole_network_) {
    return *whole_network_;
  }
  if (source == GradientSource::head && !shared_ && head_kernels_->take(batch)) {
    return *head_kernels_;
  }
  return *cut_graph_;
}

void Step::forget_compared() {
  if (StepPath* const path = std::exchange(compared_, nullptr)) {
    path->forget();
  }
}

Step::Result Step::with_weights(const Batch& batch, std::span<const double> weights, data::Random& random) {
  forget_compared();
  // Without a Gram matrix, only the head's gradients are needed.
  return path_for(batch, GradientSource::head).with_weights(batch, weights, random);
}

torch::Tensor Step::compare(const Batch& batch, GradientSource source, data::Random& random,
                            const torch::Tensor& also) {
  forget_compared();
  StepPath& path = path_for(batch, source);
  torch::Tensor numbers = path.compare(batch, source, random, also);
  compared_ = &path;
  return numbers;
}

torch::Tensor Step::gradient(const torch::Tensor& weights) {
  StepPath* const path = std::exchange(compared_, nullptr);
  if (path == nullptr) {
    throw std::logic_error("Step::gradient before Step::compare");
  }
  return path->gradient(weights);
}

}  // namespace pair::train
