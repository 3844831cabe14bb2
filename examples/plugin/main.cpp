#include <algorithm>
#include <cmath>
#include <memory>

#include "pair/cli/extensions.h"
#include "pair/moo/solver.h"
#include "pair/objectives/objective.h"

namespace {

// The mean distance of the risks to their mean, to a power.
struct RiskGapOptions {
  double power = 2.0;
};

void describe(pair::base::Fields<RiskGapOptions>& field) {
  field.number("risk_gap_power", &RiskGapOptions::power, {.low = 1, .high = 4}, "power of the distance");
}

class RiskGap final : public pair::objectives::Objective {
 public:
  explicit RiskGap(const RiskGapOptions& options) : power_(options.power) {}

  torch::Tensor value(const pair::objectives::HeadView& view, pair::data::Random& /*random*/) override {
    return (view.risks - view.risks.mean()).abs().pow(power_).mean();
  }

 private:
  double power_;
};

// Weights that make all gradients equally long.
class UnitGradients final : public pair::moo::Solver {
 public:
  [[nodiscard]] pair::moo::Solution weigh(const pair::moo::Problem& problem) const override {
    pair::moo::validate(problem);
    pair::moo::Solution solution;
    double sum = 0.0;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      // A gradient that vanishes must not have an infinite weight.
      solution.weights.push_back(1.0 / std::max(std::sqrt(problem.gram_at(i, i)), 1e-12));
      sum += solution.weights.back();
    }
    for (double& weight : solution.weights) {
      weight /= sum;
    }
    return solution;
  }
};

}  // namespace

int main(int argc, char** argv) {
  pair::cli::Extensions extensions;
  extensions.objectives.push_back(pair::objectives::objective_entry<RiskGapOptions>(
      "risk_gap", "mean distance of the risks to their mean, to a power",
      [](const RiskGapOptions& options) { return std::make_unique<RiskGap>(options); },
      pair::objectives::Compares::environments));
  extensions.solvers.push_back(pair::moo::solver_entry("unit_gradients",
                                                       "weights that make all gradients equally long",
                                                       [] { return std::make_unique<UnitGradients>(); }));
  return pair::cli::run_program(argc, argv, extensions);
}
