#include <torch/autograd.h>

#include <stdexcept>

#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// IGA, inter-environmental gradient alignment (Koyama and Yamaguchi, "When is invariance useful in an
// Out-of-Distribution Generalization problem?", arXiv 2008.01883): the trace of the variance across
// environments of the risk's gradient in all parameters theta,
//
//   1/|E| sum_e || grad_theta R_e - mean over environments of grad_theta R ||^2
//
// (the paper's release and DomainBed sum over environments). Needs two environments and the whole network:
// the value is built from gradients of the risks, and |E| - 1 passes back through the network make it.
// Parameters that no risk depends on count as zero.

namespace pair::objectives {
namespace {

class Iga final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool needs_network() const override { return true; }
};

}  // namespace

torch::Tensor Iga::value(const HeadView& view, data::Random& /*random*/) {
  if (view.parameters.empty()) {
    throw std::invalid_argument("iga: expected a batch with the network's parameters, got none");
  }
  // Deviations from the mean sum to zero, so the last is the negative sum of the others.
  const torch::Tensor deviations = view.risks - view.risks.mean();
  std::vector<torch::Tensor> last;
  torch::Tensor trace = zero_of(view.risks);
  const auto add_squares = [&](const std::vector<torch::Tensor>& gradients) {
    for (const torch::Tensor& gradient : gradients) {
      if (gradient.defined()) {
        trace = trace + gradient.square().sum();
      }
    }
  };
  for (std::int64_t e = 0; e + 1 < deviations.size(0); ++e) {
    std::vector<torch::Tensor> gradients =
        torch::autograd::grad({deviations[e]}, view.parameters, {}, /*retain_graph=*/true,
                              /*create_graph=*/true, /*allow_unused=*/true);
    add_squares(gradients);
    if (last.empty()) {
      last = std::move(gradients);
      continue;
    }
    for (std::size_t p = 0; p < last.size(); ++p) {
      if (last[p].defined()) {
        last[p] = last[p] + gradients[p];
      }
    }
  }
  add_squares(last);
  return trace / deviations.size(0);
}

ObjectiveEntry iga() {
  ObjectiveEntry entry = objective_entry(
      "iga", "variance of the risks' gradients in all parameters", [] { return std::make_unique<Iga>(); },
      Compares::environments);
  entry.manual = {
      .formula = "1/|E| sum_e || grad R_e - mean grad R ||^2,   gradients with respect to all parameters",
      .cited = {"M. Koyama and S. Yamaguchi, \"When is invariance useful in an "
                "Out-of-Distribution Generalization problem?\", arXiv:2008.01883, 2020"},
      .advice =
          "Use it on small networks when agreement at the head is not enough. It is the "
          "most expensive objective: it takes |E| - 1 extra backward passes through the "
          "whole network and differentiates through them."};
  return entry;
}

}  // namespace pair::objectives
