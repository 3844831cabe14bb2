#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// V-REx (Krueger et al., "Out-of-Distribution Generalization via Risk Extrapolation", ICML 2021): the
// variance of the risks,
//
//   1/(|E| - 1) sum_e (R_e - mean R)^2,
//
// unbiased, as in the paper's release (DomainBed divides by |E|). 0 for one environment.

namespace pair::objectives {
namespace {

class Vrex final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] std::optional<device::MomentFunction> moment_function() const override {
    return device::MomentFunction{device::MomentFunction::Kind::risk_variance};
  }
};

}  // namespace

torch::Tensor Vrex::value(const HeadView& view, data::Random& /*random*/) {
  if (view.environments() < 2) {
    return zero_of(view.risks);
  }
  return view.risks.var(/*unbiased=*/true);
}

ObjectiveEntry vrex() {
  return objective_entry(
      "vrex", "variance of the risks", [] { return std::make_unique<Vrex>(); }, Compares::environments);
}

}  // namespace pair::objectives
