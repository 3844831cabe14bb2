#include <memory>

#include "pair/cli/extensions.h"
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

}  // namespace

int main(int argc, char** argv) {
  pair::cli::Extensions extensions;
  extensions.objectives.push_back(pair::objectives::objective_entry<RiskGapOptions>(
      "risk_gap", "mean distance of the risks to their mean, to a power",
      [](const RiskGapOptions& options) { return std::make_unique<RiskGap>(options); },
      pair::objectives::Compares::environments));
  return pair::cli::run_program(argc, argv, extensions);
}
