#include "pair/train/step_network.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <utility>

#include "pair/device/kernels.h"
#include "pair/train/host_numbers.h"

namespace pair::train {

StepNetwork::StepNetwork(std::shared_ptr<models::Model> model,
                         std::span<const std::unique_ptr<objectives::Objective>> objectives,
                         data::TaskLoss loss, bool half)
    : model_(std::move(model)), objectives_(objectives), loss_(loss), half_(half) {}

std::vector<torch::Tensor> StepNetwork::parameters() const {
  std::vector<torch::Tensor> trained;
  for (const torch::Tensor& parameter : model_->parameters()) {
    if (parameter.requires_grad()) {
      trained.push_back(parameter);
    }
  }
  return trained;
}

std::vector<torch::Tensor> StepNetwork::trained_featurizer() const {
  std::vector<torch::Tensor> trained = parameters();
  std::erase_if(trained, [this](const torch::Tensor& parameter) { return of_head(parameter); });
  return trained;
}

bool StepNetwork::of_head(const torch::Tensor& parameter) const {
  return parameter.is_same(model_->head->weight) || parameter.is_same(model_->head->bias);
}

torch::Tensor StepNetwork::features_of(const Batch& batch) const {
  return model_->features(half_ ? batch.inputs.to(torch::kHalf) : batch.inputs);
}

std::vector<torch::Tensor> StepNetwork::values(const objectives::HeadView& view, data::Random& random) const {
  std::vector<torch::Tensor> result;
  result.reserve(objectives_.size());
  for (const auto& objective : objectives_) {
    result.push_back(objective->value(view, random).to(torch::kDouble));
  }
  return result;
}

// In 16 bits, the gradient of a small loss would underflow, and that of a large loss overflow, so it is
// scaled.
FeaturizerGradient StepNetwork::through_featurizer(const torch::Tensor& features,
                                                   const torch::Tensor& feature_gradient, bool again) const {
  const std::vector<torch::Tensor> featurizer = trained_featurizer();
  FeaturizerGradient result;
  if (!featurizer.empty() && features.requires_grad() && feature_gradient.defined()) {
    torch::Tensor gradient = feature_gradient;
    if (half_) {
      const device::Scaled scaled = device::scale_for_half(gradient);
      gradient = scaled.numbers;
      result.factor = scaled.factor;
    }
    result.pieces = torch::autograd::grad({features}, featurizer, {gradient}, /*retain_graph=*/again,
                                          /*create_graph=*/false, /*allow_unused=*/true);
  }
  result.pieces.resize(featurizer.size());
  for (std::size_t i = 0; i < featurizer.size(); ++i) {
    if (!result.pieces[i].defined()) {
      result.pieces[i] = torch::zeros_like(featurizer[i]);
    }
  }
  return result;
}

torch::Tensor StepNetwork::joined(const FeaturizerGradient& featurizer_gradient,
                                  const torch::Tensor& head_gradient) const {
  std::vector<torch::Tensor> pieces;
  auto next = featurizer_gradient.pieces.begin();
  const std::vector<torch::Tensor> trained = parameters();
  for (const torch::Tensor& parameter : trained) {
    if (!of_head(parameter)) {
      pieces.push_back(*next++);
    } else if (head_gradient.defined()) {
      const std::int64_t start = parameter.dim() == 2 ? 0 : model_->head->weight.numel();
      pieces.push_back(head_gradient.narrow(0, start, parameter.numel()).view_as(parameter));
    } else {
      pieces.push_back(torch::zeros_like(parameter));
    }
  }
  return joined(pieces, trained, featurizer_gradient.factor);
}

torch::Tensor StepNetwork::joined(const std::vector<torch::Tensor>& pieces,
                                  const std::vector<torch::Tensor>& parameters,
                                  const torch::Tensor& factor) const {
  if (!factor.defined()) {
    return in_order_of(pieces, parameters);
  }
  std::vector<device::Part> parts;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    parts.push_back({in_order_of(pieces[i], parameters[i]), !of_head(parameters[i])});
  }
  return device::gathered(parts, torch::kFloat, factor);
}

// In double, so that products of float gradients are exact up to rounding.
torch::Tensor losses_and_gram(const std::vector<torch::Tensor>& values, const torch::Tensor& rows,
                              const torch::Tensor& also) {
  const torch::Tensor wide = rows.to(torch::kDouble);
  std::vector<torch::Tensor> all;
  for (const torch::Tensor& value : values) {
    all.push_back(value.detach().view({1}));
  }
  all.push_back(torch::mm(wide, wide.t()).flatten());
  if (also.defined()) {
    all.push_back(also);
  }
  return torch::cat(all);
}

torch::Tensor combine(const torch::Tensor& weights, const torch::Tensor& rows) {
  return torch::mm(weights.unsqueeze(0), rows.flatten(1)).view(rows.sizes().slice(1));
}

torch::Tensor sum_of(torch::Tensor sum, const torch::Tensor& term) {
  if (!term.defined()) {
    return sum;
  }
  return sum.defined() ? sum + term : term;
}

torch::Tensor weighted_sum(const std::vector<torch::Tensor>& terms, std::span<const double> weights) {
  torch::Tensor sum;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (weights[k] == 1.0) {
      sum = sum_of(sum, terms[k]);
    } else if (weights[k] != 0.0) {
      sum = sum_of(sum, terms[k] * weights[k]);
    }
  }
  return sum;
}

}  // namespace pair::train
