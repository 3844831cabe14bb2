#include "pair/train/whole_network.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <stdexcept>
#include <utility>

#include "pair/train/host_numbers.h"

namespace pair::train {

WholeNetwork::WholeNetwork(std::shared_ptr<const StepNetwork> network) : network_(std::move(network)) {}

objectives::HeadView WholeNetwork::view_of(const Batch& batch) const {
  const torch::Tensor features = network_->forward(batch.inputs);
  objectives::HeadView view = objectives::view_of(features, network_->model().logits(features), batch.labels,
                                                  batch.sizes, network_->loss());
  view.parameters = network_->parameters();
  view.chosen = batch.environments;
  view.all_environments = batch.all_environments;
  return view;
}

StepPath::Result WholeNetwork::with_weights(const Batch& batch, std::span<const double> weights,
                                            data::Random& random) {
  const objectives::HeadView view = view_of(batch);
  const std::vector<torch::Tensor> terms = network_->values(view, random);
  const torch::Tensor total = weighted_sum(terms, weights);
  std::vector<torch::Tensor> pieces(view.parameters.size());
  if (total.defined()) {
    pieces =
        torch::autograd::grad({total}, view.parameters, {}, /*retain_graph=*/false, /*create_graph=*/false,
                              /*allow_unused=*/true);
  }
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    pieces[p] = pieces[p].defined() ? pieces[p].detach() : torch::zeros_like(view.parameters[p]);
  }
  return {torch::stack(terms).detach(), in_order_of(pieces, view.parameters).detach()};
}

torch::Tensor WholeNetwork::compare(const Batch& batch, GradientSource source, data::Random& random,
                                    const torch::Tensor& also) {
  const objectives::HeadView view = view_of(batch);
  const std::vector<torch::Tensor> terms = network_->values(view, random);
  const auto seen = [&](const torch::Tensor& parameter) {
    return source == GradientSource::all || network_->of_head(parameter) == (source == GradientSource::head);
  };
  std::vector<torch::Tensor> rows;
  std::vector<torch::Tensor> seen_rows;
  for (const torch::Tensor& term : terms) {
    std::vector<torch::Tensor> pieces =
        torch::autograd::grad({term}, view.parameters, {}, /*retain_graph=*/true,
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
          "gradients: expected w, since the featurizer has no trainable parameters, got phi");
    }
    rows.push_back(in_order_of(pieces, view.parameters));
    seen_rows.push_back(flattened(seen_pieces));
  }
  rows_ = torch::stack(rows);
  return losses_and_gram(terms, torch::stack(seen_rows), also);
}

torch::Tensor WholeNetwork::gradient(const torch::Tensor& weights) {
  const torch::Tensor rows = std::exchange(rows_, torch::Tensor());
  if (!rows.defined()) {
    throw std::logic_error("Step::gradient before Step::compare");
  }
  const torch::NoGradGuard no_graph;
  return combine(weights.to(rows.scalar_type()), rows);
}

}  // namespace pair::train
