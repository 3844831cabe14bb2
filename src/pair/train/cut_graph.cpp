#include "pair/train/cut_graph.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/device/kernels.h"
#include "pair/device/perceptron.h"
#include "pair/objectives/objective.h"
#include "pair/train/mode_guard.h"
#include "pair/train/moments.h"

namespace pair::train {
namespace {

using torch::autograd::grad;

// The tensors that an objective may be differentiated in; the last is left out if no objective uses it.
constexpr std::size_t most_leaves = 4;
std::vector<torch::Tensor> leaves_of(const objectives::HeadView& view) {
  std::vector<torch::Tensor> leaves = {view.logits, view.features, view.risks};
  if (view.derivatives.defined()) {
    leaves.push_back(view.derivatives);
  }
  return leaves;
}

}  // namespace

// The leaves behind the featurizer.
struct CutGraph::Cut {
  Features features;
  torch::Tensor at_head;      // their values, without graph
  objectives::HeadView view;  // what objectives see: these rows, or those of all ranks (shared_cut.h)
};

struct CutGraph::Compared {
  Cut cut;
  torch::Tensor by_logits;                 // [m, n, k]
  torch::Tensor by_head;                   // [m, head's parameters]; undefined if not needed
  torch::Tensor by_featurizer;             // [m, featurizer's parameters]; undefined if not needed
  std::vector<torch::Tensor> by_features;  // m of [n, d], undefined for objectives that only use logits
};

CutGraph::CutGraph(std::shared_ptr<const StepNetwork> network) : network_(std::move(network)) {
  const auto objectives = network_->objectives();
  takes_derivatives_ = std::any_of(objectives.begin(), objectives.end(),
                                   [](const auto& objective) { return objective->takes_derivatives(); });
}

CutGraph::~CutGraph() = default;

void CutGraph::forget() {
  compared_.reset();
}

// The sums of rows [r, n], as a matrix product: on CUDA devices that takes half the time of a sum.
torch::Tensor CutGraph::row_sums(const torch::Tensor& rows) {
  if (!ones_.defined() || ones_.size(0) != rows.size(1)) {
    ones_ = torch::ones({rows.size(1)}, rows.options());
  }
  return torch::mv(rows, ones_);
}

CutGraph::Cut CutGraph::cut(const Batch& batch) {
  Cut result;
  result.features = network_->features_of(batch);
  result.at_head = result.features.values.detach();
  torch::Tensor logits;
  {
    const torch::NoGradGuard no_graph;
    logits = network_->model().logits(result.at_head);
  }
  const SharedCut::Seen seen = shared_.seen(result.at_head, logits, batch);
  result.view = objectives::view_of(seen.features.detach().requires_grad_(true),
                                    seen.logits.detach().requires_grad_(true), seen.labels, seen.sizes,
                                    network_->loss(), /*with_risks=*/false);
  objectives::HeadView& view = result.view;
  view.chosen = batch.environments;
  view.all_environments = batch.all_environments;
  Moments moments = batch.measuring.inputs.defined()
                        ? measured(batch.measuring)
                        : shared_.moments(moments_of(network_->loss(), seen.logits, view.labels, view.sizes,
                                                     takes_derivatives_),
                                          batch);
  if (tracked_) {
    moments = tracked_->updated(moments);
  }
  view.risks = moments.risks.requires_grad_(true);
  if (takes_derivatives_) {
    view.derivatives = moments.derivatives.requires_grad_(true);
  }
  return result;
}

Moments CutGraph::measured(const MeasuringSamples& samples) const {
  const torch::NoGradGuard no_graph;
  models::Model& model = network_->model();
  const ModeGuard mode(model, Mode::evaluation);
  const torch::Tensor logits = model.logits(network_->forward(samples.inputs));
  const torch::Tensor labels = objectives::labels_for(samples.labels, logits.size(0), logits.size(1),
                                                      samples.sizes, network_->loss(), logits.scalar_type());
  return moments_of(network_->loss(), logits, labels, samples.sizes, takes_derivatives_);
}

torch::Tensor CutGraph::head_gradient(const Cut& cut, const torch::Tensor& logit_gradient) {
  const torch::Tensor slopes = logit_gradient.t();
  return torch::cat({torch::mm(slopes, cut.at_head).flatten(), row_sums(slopes.contiguous())});
}

// From the gradients at the two cuts to the gradients of all trained parameters.
torch::Tensor CutGraph::back(const Cut& cut, const torch::Tensor& logit_gradient,
                             torch::Tensor feature_gradient, const torch::Tensor& known_head) {
  const torch::NoGradGuard no_graph;
  const torch::Tensor& weight = network_->model().head->weight;
  if (logit_gradient.defined() && cut.features.trained) {
    const bool kernel = weight.size(0) == 1 && weight.size(1) % 4 == 0 && device::has_kernels(weight);
    feature_gradient = sum_of(
        feature_gradient, kernel ? device::outer(logit_gradient, weight) : torch::mm(logit_gradient, weight));
  }
  torch::Tensor at_head = known_head;
  if (!at_head.defined() && logit_gradient.defined()) {
    at_head = head_gradient(cut, logit_gradient);
  }
  return network_->joined(network_->through_featurizer(cut.features, feature_gradient, /*again=*/false),
                          at_head);
}

StepPath::Result CutGraph::with_weights(const Batch& batch, std::span<const double> weights,
                                        data::Random& random) {
  const Cut at = cut(batch);
  const objectives::HeadView& view = at.view;
  const std::vector<torch::Tensor> terms = network_->values(view, random);
  std::vector<torch::Tensor> slopes;
  if (const torch::Tensor total = weighted_sum(terms, weights); total.defined()) {
    slopes = grad({total}, leaves_of(view), {}, /*retain_graph=*/false, /*create_graph=*/false,
                  /*allow_unused=*/true);
  }
  slopes.resize(most_leaves);
  torch::Tensor by_logits = slopes[0];
  const torch::Tensor& by_risks = slopes[2];
  const torch::Tensor& by_derivatives = slopes[3];
  if (by_risks.defined() || by_derivatives.defined()) {
    const torch::NoGradGuard no_graph;
    const torch::Tensor through = through_moments(
        network_->loss(), view.logits, view.labels, view.sizes,
        shared_.for_seen((by_risks.defined() ? by_risks : torch::zeros_like(view.risks)).unsqueeze(0), batch),
        shared_.for_seen(by_derivatives.defined() ? by_derivatives.unsqueeze(0) : torch::Tensor(), batch));
    by_logits = sum_of(by_logits, through[0]);
  }
  return {torch::stack(terms).detach(),
          shared_.sum(back(at, shared_.own_rows(by_logits, 0), shared_.own_rows(slopes[1], 0), {}))};
}

torch::Tensor CutGraph::compare(const Batch& batch, GradientSource source, data::Random& random,
                                const torch::Tensor& also) {
  auto compared = std::make_unique<Compared>();
  compared->cut = cut(batch);
  const objectives::HeadView& view = compared->cut.view;
  const std::vector<torch::Tensor> terms = network_->values(view, random);

  if (!no_slope_.defined() || no_slope_.size(0) != view.risks.size(0)) {
    no_slope_ = torch::zeros_like(view.risks.detach());
    erm_slope_ = torch::full_like(no_slope_, 1.0 / static_cast<double>(view.environments()));
  }
  const std::vector<torch::Tensor> leaves = leaves_of(view);
  std::vector<torch::Tensor> by_logits;
  std::vector<torch::Tensor> by_risks;
  std::vector<torch::Tensor> by_derivatives;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    std::vector<torch::Tensor> slopes(leaves.size());
    const std::optional<device::MomentFunction> function = network_->objectives()[k]->moment_function();
    if (function && function->kind == device::MomentFunction::Kind::mean_risk) {
      slopes[2] = erm_slope_;
    } else {
      slopes = grad({terms[k]}, leaves, {}, /*retain_graph=*/true, /*create_graph=*/false,
                    /*allow_unused=*/true);
    }
    by_logits.push_back(slopes[0]);
    compared->by_features.push_back(shared_.own_rows(slopes[1], 0));
    by_risks.push_back(slopes[2].defined() ? slopes[2] : no_slope_);
    if (takes_derivatives_) {
      by_derivatives.push_back(slopes[3].defined() ? slopes[3] : no_slope_);
    }
  }

  const torch::NoGradGuard no_graph;
  const auto m = static_cast<std::int64_t>(terms.size());
  compared->by_logits = through_moments(
      network_->loss(), view.logits, view.labels, view.sizes, shared_.for_seen(torch::stack(by_risks), batch),
      shared_.for_seen(takes_derivatives_ ? torch::stack(by_derivatives) : torch::Tensor(), batch));
  for (std::size_t k = 0; k < by_logits.size(); ++k) {
    if (by_logits[k].defined()) {
      compared->by_logits[static_cast<std::int64_t>(k)].add_(by_logits[k]);
    }
  }
  compared->by_logits = shared_.own_rows(compared->by_logits, 1);
  const torch::Tensor& at_head = compared->cut.at_head;
  std::vector<torch::Tensor> parts;
  if (source != GradientSource::featurizer) {
    // [m k, n] x [n, d]: the head's gradients of all objectives in one product.
    const torch::Tensor slopes = compared->by_logits.transpose(1, 2).reshape({-1, at_head.size(0)});
    compared->by_head = shared_.sum(
        torch::cat({torch::mm(slopes, at_head).reshape({m, -1}), row_sums(slopes).reshape({m, -1})}, 1));
    parts.push_back(compared->by_head);
  }
  if (const auto featurizer = network_->trained_featurizer();
      source != GradientSource::head && !featurizer.empty() && compared->cut.features.trained) {
    std::vector<torch::Tensor> rows;
    for (std::int64_t k = 0; k < m; ++k) {
      const torch::Tensor at_features =
          sum_of(torch::mm(compared->by_logits[k], network_->model().head->weight),
                 compared->by_features[static_cast<std::size_t>(k)]);
      const FeaturizerGradient phi =
          network_->through_featurizer(compared->cut.features, at_features, /*again=*/k + 1 < m);
      rows.push_back(network_->joined(phi.pieces, featurizer, phi.factor));
    }
    compared->by_featurizer = shared_.sum(torch::stack(rows));
    parts.push_back(compared->by_featurizer);
  }
  if (parts.empty()) {
    throw std::invalid_argument(
        "gradients: expected w, since the featurizer has no trainable parameters, got phi");
  }
  compared_ = std::move(compared);
  return losses_and_gram(terms, parts.size() == 1 ? parts.front() : torch::cat(parts, 1), also);
}

torch::Tensor CutGraph::gradient(const torch::Tensor& weights) {
  const std::unique_ptr<Compared> compared = std::exchange(compared_, nullptr);
  if (!compared) {
    throw std::logic_error("Step::gradient before Step::compare");
  }
  const torch::NoGradGuard no_graph;
  const torch::Tensor narrow = weights.to(compared->by_logits.scalar_type());
  // The gradient of a weighted sum is the weighted sum of the gradients, if those exist already, as sums over all
  // ranks.
  const torch::Tensor known_head =
      compared->by_head.defined() ? combine(narrow, compared->by_head) : torch::Tensor();
  if (compared->by_featurizer.defined()) {
    const torch::Tensor featurizer =
        combine(weights.to(compared->by_featurizer.scalar_type()), compared->by_featurizer);
    const torch::Tensor at_head =
        known_head.defined()
            ? known_head
            : shared_.sum(head_gradient(compared->cut, combine(narrow, compared->by_logits)));
    return network_->joined(featurizer, at_head);
  }
  torch::Tensor at_features;
  for (std::size_t k = 0; k < compared->by_features.size(); ++k) {
    if (const torch::Tensor& term = compared->by_features[k]; term.defined()) {
      at_features = sum_of(at_features, term * narrow[static_cast<std::int64_t>(k)]);
    }
  }
  return shared_.sum(back(compared->cut, combine(narrow, compared->by_logits), at_features,
                          known_head.defined() ? shared_.once(known_head) : known_head));
}

}  // namespace pair::train
