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
  ObjectiveEntry entry =
      objective_entry("sd", "mean square of the logits", [] { return std::make_unique<Sd>(); });
  entry.manual = {
      .formula = "1/(n k) sum_i sum_k z_ik^2",
      .cited = {"M. Pezeshki, S.-O. Kaba, Y. Bengio, A. Courville, D. Precup and G. Lajoie, "
                "\"Gradient Starvation: A Learning Proclivity in Neural Networks\", NeurIPS 2021"},
      .advice =
          "Use it when a model learns one easy feature and then stops. It does not use "
          "environments, so it also works with a single one. Keep the penalty small (0.1 "
          "by default): on ColoredMNIST a weight of 10 already shrinks the logits until "
          "only the colour is left."};
  return entry;
}

}  // namespace pair::objectives
