#include "pair/train/step.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/device/head.h"
#include "pair/device/kernels.h"
#include "pair/objectives/losses.h"
#include "pair/train/host_numbers.h"
#include "pair/train/kernel_loss.h"
#include "pair/train/moments.h"

namespace pair::train {
namespace {

using torch::autograd::grad;

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

// The losses and the Gram matrix of the rows, in double so that the products of float gradients are exact to
// rounding.
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

// What an objective may be differentiated in; the last is left out where no objective takes it.
constexpr std::size_t most_leaves = 4;
std::vector<torch::Tensor> leaves_of(const objectives::HeadView& view) {
  std::vector<torch::Tensor> leaves = {view.logits, view.features, view.risks};
  if (view.derivatives.defined()) {
    leaves.push_back(view.derivatives);
  }
  return leaves;
}

// sum_k weights_k rows_k of rows [m, ...], in one product; weights of the rows' type.
torch::Tensor combine(const torch::Tensor& weights, const torch::Tensor& rows) {
  return torch::mm(weights.unsqueeze(0), rows.flatten(1)).view(rows.sizes().slice(1));
}

}  // namespace

// The leaves to the right of the featurizer.
struct Step::Cut {
  torch::Tensor features;  // with the featurizer's graph, or without where it is frozen
  objectives::HeadView view;
};

// What the featurizer's trained parameters get: pieces, each to be multiplied by factor where that is
// defined.
struct Step::ThroughPhi {
  std::vector<torch::Tensor> pieces;
  torch::Tensor factor;
};

struct Step::Compared {
  // Where kernels did the work at the head; then the cut has features alone, and after a pass by hand none.
  std::optional<device::AtHead> kernels;
  std::unique_ptr<models::RectifiedPass> pass;

  Cut cut;
  torch::Tensor by_logits;                 // [m, n, k]
  torch::Tensor by_head;                   // [m, head's parameters]; undefined where none was asked for
  std::vector<torch::Tensor> by_features;  // m of [n, d], undefined for objectives that look at logits alone
  torch::Tensor rows;                      // [m, P] where objectives need the network, and then nothing else
};

Step::Step(std::shared_ptr<models::Model> model,
           std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss, bool half)
    : model_(std::move(model)), objectives_(objectives), loss_(loss) {
  needs_network_ = std::any_of(objectives.begin(), objectives.end(),
                               [](const auto& objective) { return objective->needs_network(); });
  takes_derivatives_ = std::any_of(objectives.begin(), objectives.end(),
                                   [](const auto& objective) { return objective->takes_derivatives(); });
  half_ = half && !needs_network_;
  for (const auto& objective : objectives) {
    if (const std::optional<device::MomentFunction> function = objective->moment_function()) {
      functions_.push_back(*function);
    }
  }
  if (functions_.size() != objectives.size()) {
    functions_.clear();
  }
}

std::vector<torch::Tensor> Step::parameters() const {
  std::vector<torch::Tensor> trained;
  for (const torch::Tensor& parameter : model_->parameters()) {
    if (parameter.requires_grad()) {
      trained.push_back(parameter);
    }
  }
  return trained;
}

std::vector<torch::Tensor> Step::trained_featurizer() const {
  std::vector<torch::Tensor> trained = parameters();
  std::erase_if(trained, [this](const torch::Tensor& parameter) { return of_head(parameter); });
  return trained;
}

bool Step::of_head(const torch::Tensor& parameter) const {
  return parameter.is_same(model_->head->weight) || parameter.is_same(model_->head->bias);
}

void Step::freeze_featurizer() {
  for (torch::Tensor& parameter : model_->featurizer_parameters()) {
    parameter.set_requires_grad(false);
  }
}

torch::Tensor Step::features_of(const Batch& batch) const {
  return model_->features(half_ ? batch.inputs.to(torch::kHalf) : batch.inputs);
}

// The sum of each of rows [r, n], as a product: on CUDA devices that takes half of a sum's time.
torch::Tensor Step::row_sums(const torch::Tensor& rows) const {
  if (!ones_.defined() || ones_.size(0) != rows.size(1)) {
    ones_ = torch::ones({rows.size(1)}, rows.options());
  }
  return torch::mv(rows, ones_);
}

Step::Cut Step::cut(const Batch& batch) const {
  Cut result;
  result.features = features_of(batch);
  const torch::Tensor features = result.features.detach().requires_grad_(true);
  torch::Tensor logits;
  {
    const torch::NoGradGuard no_graph;
    logits = model_->logits(features);
  }
  result.view = objectives::view_of(features, logits.detach().requires_grad_(true), batch.labels, batch.sizes,
                                    loss_, /*with_risks=*/false);
  objectives::HeadView& view = result.view;
  Moments moments = moments_of(loss_, logits, view.labels, view.sizes, takes_derivatives_);
  view.risks = moments.risks.requires_grad_(true);
  if (takes_derivatives_) {
    view.derivatives = moments.derivatives.requires_grad_(true);
  }
  return result;
}

std::vector<torch::Tensor> Step::values(const objectives::HeadView& view, data::Random& random) const {
  std::vector<torch::Tensor> result;
  result.reserve(objectives_.size());
  for (const auto& objective : objectives_) {
    result.push_back(objective->value(view, random).to(torch::kDouble));
  }
  return result;
}

// In 16 bits a gradient of a small loss would lose its digits, and one of a large loss its size: it goes
// through as a multiple of itself.
Step::ThroughPhi Step::through_phi(const Cut& cut, const torch::Tensor& feature_gradient, bool again) const {
  const std::vector<torch::Tensor> featurizer = trained_featurizer();
  ThroughPhi result;
  if (!featurizer.empty() && cut.features.requires_grad() && feature_gradient.defined()) {
    torch::Tensor gradient = feature_gradient;
    if (half_) {
      const device::Scaled scaled = device::scale_for_half(gradient);
      gradient = scaled.numbers;
      result.factor = scaled.factor;
    }
    result.pieces = grad({cut.features}, featurizer, {gradient}, /*retain_graph=*/again,
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

// From the gradients at the two cuts to that of every trained parameter.
torch::Tensor Step::back(const Cut& cut, const torch::Tensor& logit_gradient, torch::Tensor feature_gradient,
                         const torch::Tensor& head_gradient) const {
  const torch::NoGradGuard no_graph;
  const torch::Tensor& weight = model_->head->weight;
  if (logit_gradient.defined() && cut.features.requires_grad()) {
    const bool kernel = weight.size(0) == 1 && weight.size(1) % 4 == 0 && device::has_kernels(weight);
    feature_gradient = sum_of(
        feature_gradient, kernel ? device::outer(logit_gradient, weight) : torch::mm(logit_gradient, weight));
  }
  torch::Tensor at_head = head_gradient;
  if (!at_head.defined() && logit_gradient.defined()) {
    const torch::Tensor slopes = logit_gradient.t();
    at_head = torch::cat({torch::mm(slopes, cut.view.features).flatten(), row_sums(slopes.contiguous())});
  }
  return joined(through_phi(cut, feature_gradient, /*again=*/false), at_head);
}

// Flat, over parameters(); head_gradient: weight and then bias, or undefined for zeros.
torch::Tensor Step::joined(const ThroughPhi& phi, const torch::Tensor& head_gradient) const {
  std::vector<torch::Tensor> pieces;
  auto next = phi.pieces.begin();
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
  return joined(pieces, trained, phi.factor);
}

// Pieces of the parameters, flat; the featurizer's multiplied by factor where that is defined.
torch::Tensor Step::joined(const std::vector<torch::Tensor>& pieces,
                           const std::vector<torch::Tensor>& parameters, const torch::Tensor& factor) const {
  if (!factor.defined()) {
    return in_order_of(pieces, parameters);
  }
  std::vector<device::Part> parts;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    parts.push_back({in_order_of(pieces[i], parameters[i]), !of_head(parameters[i])});
  }
  return device::gathered(parts, torch::kFloat, factor);
}

Step::Result Step::with_weights(const Batch& batch, std::span<const double> weights, data::Random& random) {
  compared_.reset();
  if (needs_network_) {
    const objectives::HeadView view = network_view(batch);
    const std::vector<torch::Tensor> terms = values(view, random);
    const torch::Tensor total = weighted_sum(terms, weights);
    std::vector<torch::Tensor> pieces(view.parameters.size());
    if (total.defined()) {
      pieces = grad({total}, view.parameters, {}, /*retain_graph=*/false, /*create_graph=*/false,
                    /*allow_unused=*/true);
    }
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      pieces[p] = pieces[p].defined() ? pieces[p].detach() : torch::zeros_like(view.parameters[p]);
    }
    return {torch::stack(terms).detach(), in_order_of(pieces, view.parameters).detach()};
  }
  if (kernels_take(batch)) {
    const std::shared_ptr<Compared> compared = compare_by_kernels(batch, {});
    return {compared->kernels->told.narrow(0, 0, static_cast<std::int64_t>(weights.size())),
            gradient_by_kernels(*compared, kept(weights))};
  }
  const Cut at = cut(batch);
  const objectives::HeadView& view = at.view;
  const std::vector<torch::Tensor> terms = values(view, random);
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
    const torch::Tensor through =
        through_moments(loss_, view.logits, view.labels, view.sizes,
                        (by_risks.defined() ? by_risks : torch::zeros_like(view.risks)).unsqueeze(0),
                        by_derivatives.defined() ? by_derivatives.unsqueeze(0) : torch::Tensor());
    by_logits = sum_of(by_logits, through[0]);
  }
  return {torch::stack(terms).detach(), back(at, by_logits, slopes[1], {})};
}

bool Step::kernels_take(const Batch& batch) const {
  return !functions_.empty() && !batch.sizes.empty() && model_->head->bias.defined() &&
         objectives::equal_sizes(batch.sizes) &&
         device::takes_head(model_->head->weight, static_cast<std::int64_t>(batch.sizes.size()),
                            batch.sizes.front(), functions_);
}

std::shared_ptr<Step::Compared> Step::compare_by_kernels(const Batch& batch,
                                                         const torch::Tensor& also) const {
  auto compared = std::make_shared<Compared>();
  compared->pass = half_ ? nullptr : model_->rectified_pass(batch.inputs);
  if (!compared->pass) {
    compared->cut.features = features_of(batch);
  }
  const torch::NoGradGuard no_graph;
  device::Head head;
  head.loss = kernel_loss(loss_);
  head.features = compared->pass ? compared->pass->features() : compared->cut.features.detach();
  head.labels = objectives::labels_for(batch.labels, head.features.size(0), model_->head->weight.size(0),
                                       batch.sizes, loss_, head.features.scalar_type());
  head.weight = model_->head->weight;
  head.bias = model_->head->bias;
  head.environments = static_cast<std::int64_t>(batch.sizes.size());
  compared->kernels = device::at_head(head, functions_, also);
  return compared;
}

torch::Tensor Step::gradient_by_kernels(const Compared& compared, const torch::Tensor& weights) const {
  const torch::NoGradGuard no_graph;
  device::FeatureGradient wanted = device::FeatureGradient::none;
  if (compared.pass) {
    wanted = device::FeatureGradient::rectified;
  } else if (compared.cut.features.requires_grad()) {
    wanted = device::FeatureGradient::plain;
  }
  const device::HeadGradient gradient = device::back_from_head(*compared.kernels, weights, wanted);
  return joined(compared.pass ? ThroughPhi{compared.pass->back(gradient.features, gradient.sums), {}}
                              : through_phi(compared.cut, gradient.features, /*again=*/false),
                gradient.head);
}

torch::Tensor Step::kept(std::span<const double> weights) {
  if (!std::equal(weights.begin(), weights.end(), kept_here_.begin(), kept_here_.end())) {
    kept_here_.assign(weights.begin(), weights.end());
    kept_there_ =
        torch::tensor(c10::ArrayRef<double>(kept_here_), torch::kDouble).to(model_->head->weight.device());
  }
  return kept_there_;
}

torch::Tensor Step::compare(const Batch& batch, GradientSource source, data::Random& random,
                            const torch::Tensor& also) {
  compared_.reset();  // its memory serves this batch
  if (needs_network_) {
    return compare_network(batch, source, random, also);
  }
  if (source == GradientSource::head && kernels_take(batch)) {
    compared_ = compare_by_kernels(batch, also);
    return compared_->kernels->told;
  }
  auto compared = std::make_shared<Compared>();
  compared->cut = cut(batch);
  const objectives::HeadView& view = compared->cut.view;
  const std::vector<torch::Tensor> terms = values(view, random);

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
    const std::optional<device::MomentFunction> function = objectives_[k]->moment_function();
    if (function && function->kind == device::MomentFunction::Kind::mean_risk) {
      slopes[2] = erm_slope_;
    } else {
      slopes = grad({terms[k]}, leaves, {}, /*retain_graph=*/true, /*create_graph=*/false,
                    /*allow_unused=*/true);
    }
    by_logits.push_back(slopes[0]);
    compared->by_features.push_back(slopes[1]);
    by_risks.push_back(slopes[2].defined() ? slopes[2] : no_slope_);
    if (takes_derivatives_) {
      by_derivatives.push_back(slopes[3].defined() ? slopes[3] : no_slope_);
    }
  }

  const torch::NoGradGuard no_graph;
  const auto m = static_cast<std::int64_t>(terms.size());
  compared->by_logits = through_moments(loss_, view.logits, view.labels, view.sizes, torch::stack(by_risks),
                                        takes_derivatives_ ? torch::stack(by_derivatives) : torch::Tensor());
  for (std::size_t k = 0; k < by_logits.size(); ++k) {
    if (by_logits[k].defined()) {
      compared->by_logits[static_cast<std::int64_t>(k)].add_(by_logits[k]);
    }
  }
  std::vector<torch::Tensor> parts;
  if (source != GradientSource::featurizer) {
    // [m k, n] x [n, d]: the head's gradients of all objectives at once.
    const torch::Tensor slopes = compared->by_logits.transpose(1, 2).reshape({-1, view.logits.size(0)});
    compared->by_head =
        torch::cat({torch::mm(slopes, view.features).reshape({m, -1}), row_sums(slopes).reshape({m, -1})}, 1);
    parts.push_back(compared->by_head);
  }
  if (const auto featurizer = trained_featurizer();
      source != GradientSource::head && !featurizer.empty() && compared->cut.features.requires_grad()) {
    std::vector<torch::Tensor> rows;
    for (std::int64_t k = 0; k < m; ++k) {
      const torch::Tensor at_features = sum_of(torch::mm(compared->by_logits[k], model_->head->weight),
                                               compared->by_features[static_cast<std::size_t>(k)]);
      const ThroughPhi phi = through_phi(compared->cut, at_features, /*again=*/true);
      rows.push_back(joined(phi.pieces, featurizer, phi.factor));
    }
    parts.push_back(torch::stack(rows));
  }
  if (parts.empty()) {
    throw std::invalid_argument(
        "gradients from phi were asked for, but the featurizer has no parameters to train");
  }
  compared_ = std::move(compared);
  return losses_and_gram(terms, parts.size() == 1 ? parts.front() : torch::cat(parts, 1), also);
}

torch::Tensor Step::gradient(const torch::Tensor& weights) {
  const std::shared_ptr<Compared> compared = std::exchange(compared_, nullptr);
  if (!compared) {
    throw std::logic_error("Step::gradient before Step::compare");
  }
  if (compared->kernels) {
    return gradient_by_kernels(*compared, weights);
  }
  const torch::NoGradGuard no_graph;
  if (compared->rows.defined()) {
    return combine(weights.to(compared->rows.scalar_type()), compared->rows);
  }
  const torch::Tensor narrow = weights.to(compared->by_logits.scalar_type());
  torch::Tensor at_features;
  for (std::size_t k = 0; k < compared->by_features.size(); ++k) {
    if (const torch::Tensor& term = compared->by_features[k]; term.defined()) {
      at_features = sum_of(at_features, term * narrow[static_cast<std::int64_t>(k)]);
    }
  }
  // A gradient of a weighted sum is the weighted sum of the gradients, where those are there already.
  const torch::Tensor at_head =
      compared->by_head.defined() ? combine(narrow, compared->by_head) : torch::Tensor();
  return back(compared->cut, combine(narrow, compared->by_logits), at_features, at_head);
}

objectives::HeadView Step::network_view(const Batch& batch) const {
  const torch::Tensor features = model_->features(batch.inputs);
  objectives::HeadView view =
      objectives::view_of(features, model_->logits(features), batch.labels, batch.sizes, loss_);
  view.parameters = parameters();
  return view;
}

torch::Tensor Step::compare_network(const Batch& batch, GradientSource source, data::Random& random,
                                    const torch::Tensor& also) {
  const objectives::HeadView view = network_view(batch);
  const std::vector<torch::Tensor> terms = values(view, random);
  const auto seen = [&](const torch::Tensor& parameter) {
    return source == GradientSource::all || of_head(parameter) == (source == GradientSource::head);
  };
  std::vector<torch::Tensor> rows;
  std::vector<torch::Tensor> seen_rows;
  for (const torch::Tensor& term : terms) {
    std::vector<torch::Tensor> pieces = grad({term}, view.parameters, {}, /*retain_graph=*/true,
                                             /*create_graph=*/false, /*allow_unused=*/true);
    std::vector<torch::Tensor> seen_pieces;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      pieces[p] = pieces[p].defined() ? pieces[p].detach() : torch::zeros_like(view.parameters[p]).detach();
      if (seen(view.parameters[p])) {
        seen_pieces.push_back(pieces[p]);
      }
    }
    if (seen_pieces.empty()) {
      throw std::invalid_argument(
          "gradients from phi were asked for, but the featurizer has no parameters to train");
    }
    rows.push_back(in_order_of(pieces, view.parameters));
    seen_rows.push_back(flattened(seen_pieces));
  }
  compared_ = std::make_shared<Compared>();
  compared_->rows = torch::stack(rows);
  return losses_and_gram(terms, torch::stack(seen_rows), also);
}

}  // namespace pair::train
