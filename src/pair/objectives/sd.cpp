#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// SD, spectral decoupling (Pezeshki et al., "Gradient Starvation: A Learning Proclivity in Neural Networks",
// NeurIPS 2021): the mean square of the logits,
//
//   1/(n k) sum_i sum_k z_ik^2.

namespace pair::objectives {
namespace {

class Sd final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
};

}  // namespace

torch::Tensor Sd::value(const HeadView& view, data::Random& /*random*/) {
  return view.logits.square().mean();
}

ObjectiveEntry sd() {
  return objective_entry("sd", "mean square of the logits", [] { return std::make_unique<Sd>(); });
}

}  // namespace pair::objectives
