#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// V-REx (Krueger et al., "Out-of-Distribution Generalization via Risk Extrapolation", ICML 2021): the
// variance of the risks,
//
//   1/(|E| - 1) sum_e (R_e - mean R)^2,
//
// unbiased, as in the paper's release (DomainBed divides by |E|). 0 for one environment. If the true risks
// are equal and the R_e are independent estimates of them, its expected value is the mean of Var[R_e].

namespace pair::objectives {
namespace {

class Vrex final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool of_moments() const override { return true; }
  [[nodiscard]] std::optional<NoiseFloor> noise_floor(std::size_t environments) const override {
    return environments > 1 ? std::optional(NoiseFloor{.risks = 1.0}) : std::nullopt;
  }
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
  ObjectiveEntry entry = objective_entry(
      "vrex", "variance of the risks", [] { return std::make_unique<Vrex>(); }, Compares::environments);
  entry.manual = {.formula = "1/(|E| - 1) sum_e (R_e - mean R)^2",
                  .cited = {"D. Krueger, E. Caballero, J.-H. Jacobsen, A. Zhang, J. Binas, D. Zhang, R. Le "
                            "Priol and A. Courville, \"Out-of-Distribution Generalization via Risk "
                            "Extrapolation (REx)\", ICML 2021"},
                  .advice =
                      "Use it when the best invariant predictor has the same risk in every "
                      "environment, that is, when the noise in the labels is the same everywhere. It "
                      "needs at least two training environments, and it has little to compare when "
                      "they are nearly alike (`pair paper fig-vrex-failure`)."};
  return entry;
}

}  // namespace pair::objectives
