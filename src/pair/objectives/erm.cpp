#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// ERM, empirical risk minimisation (Vapnik, "Principles of risk minimization for learning theory",
// NeurIPS 1991): the mean of the environments' risks,
//
//   1/|E| sum_e R_e.

namespace pair::objectives {
namespace {

class Erm final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool of_moments() const override { return true; }
  [[nodiscard]] std::optional<device::MomentFunction> moment_function() const override {
    return device::MomentFunction{device::MomentFunction::Kind::mean_risk};
  }
};

}  // namespace

torch::Tensor Erm::value(const HeadView& view, data::Random& /*random*/) {
  return view.risks.mean();
}

ObjectiveEntry erm() {
  ObjectiveEntry entry =
      objective_entry("erm", "mean of the environments' risks", [] { return std::make_unique<Erm>(); });
  entry.manual = {
      .formula = "1/|E| sum_e R_e",
      .cited = {"V. Vapnik, \"Principles of Risk Minimization for Learning Theory\", NeurIPS 1991"},
      .advice =
          "Every run has it as its first objective: it keeps the predictor accurate. On "
          "its own it relies on every feature that predicts well in the training "
          "environments, including those that fail in others."};
  return entry;
}

}  // namespace pair::objectives
