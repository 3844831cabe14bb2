#include <algorithm>
#include <stdexcept>

#include "pair/base/registry.h"
#include "pair/models/registry.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "pair/train/settings.h"

// Checks that settings fit together. The range of a single setting is checked by its declaration (settings.cpp).

namespace pair::train {
namespace {

void check_objectives(const Settings& s) {
  if (s.objectives.empty() || s.objectives.front() != "erm") {
    throw std::invalid_argument("objectives: expected erm as the first, got '" +
                                (s.objectives.empty() ? "" : s.objectives.front()) + "'");
  }
  for (const std::string& name : s.objectives) {
    if (std::count(s.objectives.begin(), s.objectives.end(), name) > 1) {
      throw std::invalid_argument("objectives: expected each once, got '" + name + "' twice");
    }
  }
  if (s.scheme == Scheme::linear && !s.penalties.empty() && s.penalties.size() + 1 != s.objectives.size()) {
    throw std::invalid_argument("penalties: expected equal, or one number per objective after erm (" +
                                std::to_string(s.objectives.size() - 1) + "), got " +
                                std::to_string(s.penalties.size()));
  }
  for (const std::string& name : summed_objectives(s)) {
    if (std::count(s.objectives.begin(), s.objectives.end(), name) == 0) {
      throw std::invalid_argument("sums: expected none, or objectives of the run (" +
                                  base::as_text(s.objectives) + "), got '" + name + "'");
    }
  }
  if (s.scheme == Scheme::own && s.objectives.size() > 1) {
    throw std::invalid_argument("objectives: expected erm alone, since " + s.update.name +
                                " has its own update, got " + std::to_string(s.objectives.size()) + " names");
  }
}

void check_measuring(const Settings& s) {
  if (s.measure_share == 0.0) {
    return;
  }
  const std::string got = ", got " + base::as_text(s.measure_share);
  if (s.scheme == Scheme::own) {
    throw std::invalid_argument("measure_share: expected 0 with " + s.update.name +
                                ", which has its own update" + got);
  }
  for (const std::string& name : s.objectives) {
    const auto objective = objectives::make_objective(name, s.objective_options.at(name));
    if (objective->needs_network()) {
      throw std::invalid_argument("measure_share: expected 0 with " + name +
                                  ", which needs the whole network" + got);
    }
    if (const std::string_view flag = objective->flag_against_measuring(); !flag.empty()) {
      throw std::invalid_argument(std::string(flag) +
                                  ": expected false with measure_share, since it is computed from the "
                                  "samples that are trained on, got true");
    }
  }
  if (s.batch == 1) {
    throw std::invalid_argument(
        "batch: expected at least 2 with measure_share, one sample to measure and one to train on, got 1");
  }
  if (s.batch > 1 && (s.batch - s.measuring().count(s.batch)) % s.accumulate != 0) {
    throw std::invalid_argument(
        "accumulate: expected a divisor of the samples per batch that are trained on (" +
        std::to_string(s.batch - s.measuring().count(s.batch)) + "), got " + std::to_string(s.accumulate));
  }
}

void check_precision(const Settings& s) {
  const std::string& flag = models::model_named(s.model).fp16_flag;
  if (s.precision != Precision::bf16 || flag.empty()) {
    return;
  }
  const base::Field* const option = s.model_options.find(flag);
  if (option == nullptr) {
    throw std::logic_error("model " + s.model + ": expected one of its options as fp16_flag, got '" + flag +
                           "'");
  }
  if (s.model_options.get(*option) == base::Value(true)) {
    throw std::invalid_argument(flag + ": expected false with precision bf16, got true; " + flag +
                                " is fp16, by kernels of " + s.model);
  }
}

void check_pair(const Settings& s) {
  if (s.objectives.size() < 2) {
    throw std::invalid_argument("objectives: expected at least one more than erm for PAIR-o, got erm alone");
  }
  if (!s.preference.empty() && s.preference.size() != s.objectives.size()) {
    throw std::invalid_argument("preference: expected auto, or one number per objective (" +
                                std::to_string(s.objectives.size()) + "), got " +
                                std::to_string(s.preference.size()));
  }
  if (!s.descent_penalties.empty() && s.descent_penalties.size() + 1 != s.objectives.size()) {
    throw std::invalid_argument("descent_penalties: expected none, or one number per objective after erm (" +
                                std::to_string(s.objectives.size() - 1) + "), got " +
                                std::to_string(s.descent_penalties.size()));
  }
  for (const std::string& name : s.objectives) {
    const base::Options& options = s.objective_options.at(name);
    if (const auto remedy = objectives::make_objective(name, options)->against_negative()) {
      throw std::invalid_argument(std::string(remedy->option) + ": expected " + std::string(remedy->values) +
                                  ", since PAIR-o's solver needs losses that are not negative, got " +
                                  base::as_text(options.get(*options.find(remedy->option))));
    }
  }
}

}  // namespace

void validate(const Settings& settings) {
  Settings copy = settings;
  settle(copy);
  for (const base::Field& field : settings_fields()) {
    base::set_value(field, &copy, field.get(&settings));
  }
  for (const auto& [name, options] : copy.objective_options) {
    base::check(options);
  }
  base::check(copy.solver_options);
  base::check(copy.model_options);
  base::check(copy.update.options);
  if (copy.environments > 0 && copy.batch == 0) {
    throw std::invalid_argument(
        "environments: expected 0 (all) with batch 0, whose steps take all samples, got " +
        std::to_string(copy.environments));
  }
  if (copy.warmup > copy.steps) {
    throw std::invalid_argument("warmup: expected an integer from 0 to " + std::to_string(copy.steps) +
                                " (steps), got " + std::to_string(copy.warmup));
  }
  if (copy.accumulate > 1 && copy.batch > 0 && copy.measure_share == 0.0 &&
      copy.batch % copy.accumulate != 0) {
    throw std::invalid_argument("accumulate: expected a divisor of batch (" + std::to_string(copy.batch) +
                                "), got " + std::to_string(copy.accumulate));
  }
  check_precision(copy);
  check_measuring(copy);
  check_objectives(copy);
  if (copy.scheme == Scheme::pair) {
    check_pair(copy);
  }
}

}  // namespace pair::train
