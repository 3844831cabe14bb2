#include "pair/runs/warnings.h"

#include <algorithm>

#include "pair/base/numbers.h"

namespace pair::runs {
namespace {

bool never_balances(const RunSpec& spec) {
  return spec.settings.scheme == train::Scheme::pair && spec.settings.pretrain >= spec.settings.steps;
}

// Whether some objective would have another weight after pretrain steps.
bool never_applies_its_penalty(const RunSpec& spec) {
  const train::Settings& settings = spec.settings;
  if (settings.scheme != train::Scheme::linear || settings.objectives.size() < 2 ||
      settings.pretrain < settings.steps) {
    return false;
  }
  const auto differs = [&settings](double lambda) {
    return lambda != 0.0 && lambda != settings.pretrain_penalty;
  };
  return settings.penalties.empty()
             ? differs(settings.penalty)
             : std::any_of(settings.penalties.begin(), settings.penalties.end(), differs);
}

template <class Matches, class Sentence>
void add_warning(std::span<const RunSpec> specs, Matches matches, Sentence sentence,
                 std::vector<std::string>& warnings) {
  const auto first = std::find_if(specs.begin(), specs.end(), matches);
  if (first == specs.end()) {
    return;
  }
  const auto count = std::count_if(specs.begin(), specs.end(), matches);
  const train::Settings& settings = first->settings;
  const bool several = count > 1;
  std::string text = first->algorithm;
  if (specs.size() > 1) {
    text = std::to_string(count) + " of " + std::to_string(specs.size()) + " runs (" +
           (several ? "such as " : "") + first->algorithm + " on " + first->dataset.name + ")";
  }
  text += " never " + sentence(several, settings) + ": pretrain is " + std::to_string(settings.pretrain) +
          " and steps is " + std::to_string(settings.steps);
  warnings.push_back(text + "; set pretrain below steps");
}

}  // namespace

std::vector<std::string> warnings_of(std::span<const RunSpec> specs) {
  std::vector<std::string> warnings;
  add_warning(
      specs, never_balances,
      [](bool several, const train::Settings&) {
        return std::string(several ? "balance" : "balances") + " objectives and " +
               (several ? "train" : "trains") + " with ERM alone";
      },
      warnings);
  add_warning(
      specs, never_applies_its_penalty,
      [](bool several, const train::Settings& settings) {
        return std::string(several ? "apply" : "applies") + " the penalty and " +
               (several ? "train" : "trains") + " with pretrain_penalty (" +
               base::shown(settings.pretrain_penalty) + ") throughout";
      },
      warnings);
  return warnings;
}

}  // namespace pair::runs
