#include "pair/objectives/iga.h"

#include <torch/autograd.h>

#include <stdexcept>

#include "pair/objectives/losses.h"

namespace pair::objectives {

torch::Tensor Iga::value(const HeadView& view, data::Random& /*random*/) {
  if (view.parameters.empty()) {
    throw std::invalid_argument("iga takes gradients in all parameters, but the batch names none");
  }
  // Deviations from the mean sum to zero, so that the last is the negative sum of the others.
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

}  // namespace pair::objectives
