#include "pair/train/step.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pair/train/host_numbers.h"

namespace pair::train {
namespace {

torch::Tensor sum_of(torch::Tensor sum, const torch::Tensor& term) {
  if (!term.defined()) {
    return sum;
  }
  return sum.defined() ? sum + term : term;
}

torch::Tensor weighted_sum(const std::vector<torch::Tensor>& terms, std::span<const double> weights) {
  torch::Tensor sum;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (weights[k] != 0.0 && terms[k].defined()) {
      sum = sum_of(sum, terms[k] * weights[k]);
    }
  }
  return sum;
}

std::vector<double> conflict_of(const HostNumbers& numbers) {
  const std::size_t m = numbers.losses.size();
  std::vector<double> cosines;
  for (std::size_t k = 1; k < m; ++k) {
    const double lengths = std::sqrt(numbers.gram[0]) * std::sqrt(numbers.gram[k * m + k]);
    cosines.push_back(lengths > 0.0 ? numbers.gram[k] / lengths : 0.0);
  }
  return cosines;
}

}  // namespace

// The leaves to the right of the featurizer.
struct Step::Cut {
  torch::Tensor features;  // with the featurizer's graph, or without where it is frozen
  objectives::HeadView view;
};

Step::Step(std::shared_ptr<models::Model> model,
           std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss)
    : model_(std::move(model)), objectives_(objectives), loss_(loss) {
  needs_network_ = std::any_of(objectives.begin(), objectives.end(),
                               [](const auto& objective) { return objective->needs_network(); });
}

void Step::freeze_featurizer() {
  frozen_ = true;
  for (torch::Tensor& parameter : model_->featurizer_parameters()) {
    parameter.set_requires_grad(false);
    parameter.mutable_grad() = torch::Tensor();
  }
}

Step::Cut Step::cut(const Batch& batch) const {
  Cut result;
  {
    const torch::AutoGradMode with_graph(!frozen_);
    result.features = model_->features(batch.inputs);
  }
  const torch::Tensor features = result.features.detach().requires_grad_(true);
  torch::Tensor logits;
  {
    const torch::NoGradGuard no_graph;
    logits = model_->logits(features);
  }
  result.view =
      objectives::view_of(features, logits.detach().requires_grad_(true), batch.labels, batch.sizes, loss_);
  return result;
}

std::vector<torch::Tensor> Step::values(const objectives::HeadView& view, data::Random& random) const {
  std::vector<torch::Tensor> result;
  result.reserve(objectives_.size());
  for (const auto& objective : objectives_) {
    result.push_back(objective->value(view, random));
  }
  return result;
}

void Step::set_gradients(const Cut& cut, const torch::Tensor& logit_gradient,
                         torch::Tensor feature_gradient) {
  const torch::NoGradGuard no_graph;
  model_->zero_grad();
  if (logit_gradient.defined()) {
    model_->head->weight.mutable_grad() = torch::mm(logit_gradient.t(), cut.view.features);
    if (model_->head->bias.defined()) {
      model_->head->bias.mutable_grad() = logit_gradient.sum(0);
    }
    feature_gradient = sum_of(feature_gradient, torch::mm(logit_gradient, model_->head->weight));
  }
  if (cut.features.requires_grad() && feature_gradient.defined()) {
    torch::autograd::backward({cut.features}, {feature_gradient});
  }
}

bool Step::gradients_finite() const {
  const torch::NoGradGuard no_graph;
  torch::Tensor sum;
  for (const torch::Tensor& parameter : model_->parameters()) {
    if (parameter.grad().defined()) {
      // A sum of squares is finite where, and overflow aside only where, every term is.
      sum = sum_of(sum, parameter.grad().to(torch::kDouble).square().sum());
    }
  }
  return !sum.defined() || std::isfinite(sum.item<double>());
}

StepLosses Step::with_weights(const Batch& batch, std::span<const double> weights, data::Random& random) {
  if (needs_network_) {
    const std::vector<double> fixed(weights.begin(), weights.end());
    return network_step(
        batch, GradientSource::all, [&fixed](auto, auto) { return fixed; }, random);
  }
  const Cut at_head = cut(batch);
  const std::vector<torch::Tensor> terms = values(at_head.view, random);
  StepLosses result;
  result.weights.assign(weights.begin(), weights.end());
  const torch::Tensor total = weighted_sum(terms, weights);
  if (total.defined()) {
    const auto gradients =
        torch::autograd::grad({total}, {at_head.view.logits, at_head.view.features}, {},
                              /*retain_graph=*/false, /*create_graph=*/false, /*allow_unused=*/true);
    set_gradients(at_head, gradients[0], gradients[1]);
  }
  result.losses = to_doubles(torch::stack(terms));
  result.finite = all_finite(result.losses) && gradients_finite();
  return result;
}

StepLosses Step::with_solver(const Batch& batch, GradientSource source, const Weigh& weigh,
                             data::Random& random) {
  if (needs_network_) {
    return network_step(batch, source, weigh, random);
  }
  const Cut at_head = cut(batch);
  const std::vector<torch::Tensor> terms = values(at_head.view, random);
  const std::size_t m = terms.size();

  std::vector<torch::Tensor> by_logits(m);
  std::vector<torch::Tensor> by_features(m);
  for (std::size_t k = 0; k < m; ++k) {
    const auto gradients =
        torch::autograd::grad({terms[k]}, {at_head.view.logits, at_head.view.features}, {},
                              /*retain_graph=*/true, /*create_graph=*/false, /*allow_unused=*/true);
    by_logits[k] = gradients[0].defined() ? gradients[0] : torch::zeros_like(at_head.view.logits);
    by_features[k] = gradients[1];
  }

  torch::Tensor rows;  // [m, parameters seen]
  {
    const torch::NoGradGuard no_graph;
    const std::int64_t outputs = at_head.view.logits.size(1);
    std::vector<torch::Tensor> parts;
    if (source != GradientSource::featurizer) {
      // [m * k, n] x [n, d]: the head's gradients of all objectives at once.
      const torch::Tensor logit_rows = torch::cat(by_logits, 1).t();
      const auto count = static_cast<std::int64_t>(m);
      parts.push_back(torch::mm(logit_rows, at_head.view.features).reshape({count, -1}));
      parts.push_back(logit_rows.sum(1).reshape({count, outputs}));
    }
    if (source != GradientSource::head && at_head.features.requires_grad()) {
      std::vector<torch::Tensor> parameters;
      for (const torch::Tensor& parameter : model_->featurizer_parameters()) {
        if (parameter.requires_grad()) {
          parameters.push_back(parameter);
        }
      }
      std::vector<torch::Tensor> featurizer_rows;
      for (std::size_t k = 0; k < m; ++k) {
        const torch::Tensor back = sum_of(by_features[k], torch::mm(by_logits[k], model_->head->weight));
        featurizer_rows.push_back(
            flattened(torch::autograd::grad({at_head.features}, parameters, {back}, /*retain_graph=*/true)));
      }
      parts.push_back(torch::stack(featurizer_rows));
    }
    if (parts.empty()) {
      throw std::invalid_argument(
          "gradients from phi were asked for, but the featurizer has no parameters to train");
    }
    rows = torch::cat(parts, 1);
  }

  const HostNumbers numbers = to_host(terms, rows);
  StepLosses result;
  result.losses = numbers.losses;
  result.conflict = conflict_of(numbers);
  result.finite = numbers.finite();
  if (result.finite) {
    result.weights = weigh(numbers.losses, numbers.gram);
    if (result.weights.empty()) {
      return result;
    }
    set_gradients(at_head, weighted_sum(by_logits, result.weights),
                  weighted_sum(by_features, result.weights));
    result.finite = gradients_finite();
  }
  return result;
}

StepLosses Step::network_step(const Batch& batch, GradientSource source, const Weigh& weigh,
                              data::Random& random) {
  const torch::Tensor features = model_->features(batch.inputs);
  objectives::HeadView view =
      objectives::view_of(features, model_->logits(features), batch.labels, batch.sizes, loss_);
  for (const torch::Tensor& parameter : model_->parameters()) {
    if (parameter.requires_grad()) {
      view.parameters.push_back(parameter);
    }
  }
  const std::vector<torch::Tensor> terms = values(view, random);

  std::vector<std::vector<torch::Tensor>> gradients;
  for (const torch::Tensor& term : terms) {
    gradients.push_back(torch::autograd::grad({term}, view.parameters, {}, /*retain_graph=*/true,
                                              /*create_graph=*/false, /*allow_unused=*/true));
    for (std::size_t p = 0; p < view.parameters.size(); ++p) {
      if (!gradients.back()[p].defined()) {
        gradients.back()[p] = torch::zeros_like(view.parameters[p]);
      }
    }
  }

  const std::vector<torch::Tensor> head = model_->head_parameters();
  const auto seen = [&](const torch::Tensor& parameter) {
    const bool of_head =
        std::any_of(head.begin(), head.end(), [&](const auto& h) { return h.is_same(parameter); });
    return source == GradientSource::all || of_head == (source == GradientSource::head);
  };
  std::vector<torch::Tensor> rows;
  for (const auto& row : gradients) {
    std::vector<torch::Tensor> parts;
    for (std::size_t p = 0; p < row.size(); ++p) {
      if (seen(view.parameters[p])) {
        parts.push_back(row[p]);
      }
    }
    rows.push_back(flattened(parts));
  }

  const HostNumbers numbers = to_host(terms, torch::stack(rows));
  StepLosses result;
  result.losses = numbers.losses;
  result.conflict = conflict_of(numbers);
  result.finite = numbers.finite();
  if (result.finite) {
    result.weights = weigh(numbers.losses, numbers.gram);
    if (result.weights.empty()) {
      return result;
    }
    const torch::NoGradGuard no_graph;
    for (std::size_t p = 0; p < view.parameters.size(); ++p) {
      torch::Tensor sum = torch::zeros_like(view.parameters[p]);
      for (std::size_t k = 0; k < terms.size(); ++k) {
        sum.add_(gradients[k][p], result.weights[k]);
      }
      view.parameters[p].mutable_grad() = sum;
    }
  }
  return result;
}

}  // namespace pair::train
