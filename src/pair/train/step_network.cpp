#include "pair/train/step_network.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <optional>
#include <utility>

#include "pair/device/half.h"
#include "pair/models/dropout.h"
#include "pair/train/host_numbers.h"
#include "pair/train/kept_buffers.h"
#include "pair/train/precision.h"

namespace pair::train {
namespace {

// The inverse of rows_of_share: the rows of all parts in the order of the batch.
torch::Tensor rows_of_parts(const std::vector<torch::Tensor>& parts, const std::vector<std::int64_t>& sizes) {
  const auto count = static_cast<std::int64_t>(parts.size());
  std::vector<std::int64_t> used(parts.size(), 0);
  std::vector<torch::Tensor> shares;
  for (const std::int64_t size : sizes) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::int64_t rows = data::Share{static_cast<std::int64_t>(part), count}.count(size);
      shares.push_back(parts[part].narrow(0, used[part], rows));
      used[part] += rows;
    }
  }
  return torch::cat(shares);
}

}  // namespace

StepNetwork::StepNetwork(std::shared_ptr<models::Model> model,
                         std::span<const std::unique_ptr<objectives::Objective>> objectives,
                         data::TaskLoss loss, const NetworkOptions& options)
    : model_(std::move(model)), objectives_(objectives), loss_(loss), options_(options) {}

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

torch::Tensor StepNetwork::forward(const torch::Tensor& inputs) const {
  return options_.half ? model_->features(inputs.to(torch::kHalf))
                       : features_in(options_.precision, *model_, inputs);
}

torch::Tensor StepNetwork::forward_part(const Batch& batch, data::Share part) const {
  const torch::Tensor places =
      torch::arange(batch.inputs.size(0), batch.inputs.options().dtype(torch::kLong));
  const models::DropoutRows dropout(*model_, rows_of_share(places, batch.sizes, part));
  return forward(rows_of_share(batch.inputs, batch.sizes, part));
}

Features StepNetwork::features_of(const Batch& batch) const {
  if (options_.parts == 1) {
    const torch::Tensor values = forward(batch.inputs);
    return {values, {}, values.requires_grad()};
  }
  const torch::NoGradGuard no_graph;
  KeptBuffers statistics(model_->buffers());  // the second pass updates them
  std::vector<torch::Tensor> values;
  for (std::int64_t part = 0; part < options_.parts; ++part) {
    values.push_back(forward_part(batch, {part, options_.parts}));
  }
  const bool trained = !trained_featurizer().empty();
  if (trained) {
    statistics.restore();
  }
  return {rows_of_parts(values, batch.sizes), batch, trained};
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
FeaturizerGradient StepNetwork::through_featurizer(const Features& features,
                                                   const torch::Tensor& feature_gradient, bool again) const {
  const std::vector<torch::Tensor> featurizer = trained_featurizer();
  FeaturizerGradient result;
  if (!featurizer.empty() && features.trained && feature_gradient.defined()) {
    torch::Tensor gradient = feature_gradient;
    if (options_.half) {
      const device::Scaled scaled = device::scale_for_half(gradient);
      gradient = scaled.numbers;
      result.factor = scaled.factor;
    }
    if (options_.parts == 1) {
      result.pieces = torch::autograd::grad({features.values}, featurizer, {gradient}, /*retain_graph=*/again,
                                            /*create_graph=*/false, /*allow_unused=*/true);
    } else {
      result.pieces = in_parts(features, featurizer, gradient, again);
    }
  }
  result.pieces.resize(featurizer.size());
  for (std::size_t i = 0; i < featurizer.size(); ++i) {
    if (!result.pieces[i].defined()) {
      result.pieces[i] = torch::zeros_like(featurizer[i]);
    }
  }
  return result;
}

std::vector<torch::Tensor> StepNetwork::in_parts(const Features& features,
                                                 const std::vector<torch::Tensor>& featurizer,
                                                 const torch::Tensor& gradient, bool again) const {
  const torch::AutoGradMode graph(true);
  // If there will be another pass, that one updates them.
  std::optional<KeptBuffers> statistics;
  if (again) {
    statistics.emplace(model_->buffers());
  }
  std::vector<torch::Tensor> sums(featurizer.size());
  const Batch& batch = features.batch;
  for (std::int64_t part = 0; part < options_.parts; ++part) {
    const data::Share share{part, options_.parts};
    const std::vector<torch::Tensor> pieces = torch::autograd::grad(
        {forward_part(batch, share)}, featurizer, {rows_of_share(gradient, batch.sizes, share)},
        /*retain_graph=*/false, /*create_graph=*/false, /*allow_unused=*/true);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      sums[i] = sum_of(sums[i], pieces[i]);
    }
  }
  if (statistics) {
    statistics->restore();
  }
  return sums;
}

torch::Tensor StepNetwork::head_part(const torch::Tensor& head_gradient,
                                     const torch::Tensor& parameter) const {
  if (!head_gradient.defined()) {
    return torch::zeros_like(parameter);
  }
  const std::int64_t start = parameter.dim() == 2 ? 0 : model_->head->weight.numel();
  return head_gradient.narrow(0, start, parameter.numel()).view_as(parameter);
}

torch::Tensor StepNetwork::joined(const FeaturizerGradient& featurizer_gradient,
                                  const torch::Tensor& head_gradient) const {
  std::vector<torch::Tensor> pieces;
  auto next = featurizer_gradient.pieces.begin();
  const std::vector<torch::Tensor> trained = parameters();
  for (const torch::Tensor& parameter : trained) {
    if (!of_head(parameter)) {
      pieces.push_back(*next++);
    } else {
      pieces.push_back(head_part(head_gradient, parameter));
    }
  }
  return joined(pieces, trained, featurizer_gradient.factor);
}

torch::Tensor StepNetwork::joined(const torch::Tensor& featurizer, const torch::Tensor& head_gradient) const {
  std::vector<torch::Tensor> pieces;
  std::int64_t next = 0;
  for (const torch::Tensor& parameter : parameters()) {
    if (!of_head(parameter)) {
      pieces.push_back(featurizer.narrow(0, next, parameter.numel()));
      next += parameter.numel();
    } else {
      pieces.push_back(head_part(head_gradient, parameter).flatten().to(featurizer.scalar_type()));
    }
  }
  return torch::cat(pieces);
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
