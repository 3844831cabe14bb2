#include "pair/runs/idle_settings.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "pair/runs/settings.h"

// Here and not with the trainer's notices (train/fit.cpp): the trainer does not know the defaults of datasets
// and algorithms.

namespace pair::runs {
namespace {

using train::Optimizer;
using train::Scheme;
using train::Settings;

struct Idle {
  std::string_view setting;
  bool (*is_idle)(const Settings&);
  std::string_view reason;  // after "SETTING has no effect"
};

bool without_pretrain(const Settings& s) {
  return s.pretrain == 0;
}

bool without_step_schedule(const Settings& s) {
  return s.schedule != train::Decay::step;
}

bool balances_with_adam(const Settings& s) {
  return s.balance_optimizer == Optimizer::adam;
}

// PAIR-o's steps of ERM are the first `pretrain` ones.
bool without_adam(const Settings& s) {
  const bool descends = s.scheme != Scheme::pair || s.pretrain > 0;
  const bool balances = s.scheme == Scheme::pair && s.pretrain < s.steps;
  return !(descends && s.optimizer == Optimizer::adam) && !(balances && balances_with_adam(s));
}

constexpr std::array idle_settings = {
    Idle{"hold_at_noise", [](const Settings& s) { return s.track <= 1.0; }, "without track"},
    Idle{"schedule_every", without_step_schedule, "without schedule=step"},
    Idle{"schedule_factor", without_step_schedule, "without schedule=step"},
    Idle{"descent_momentum", [](const Settings& s) { return s.optimizer != Optimizer::sgd; },
         "without optimizer=sgd"},
    Idle{"momentum", balances_with_adam, "with balance_optimizer=adam"},
    Idle{"restart", balances_with_adam, "with balance_optimizer=adam"},
    Idle{"amsgrad", without_adam, "without a step of Adam"},
    Idle{"annealed_divisor", without_pretrain, "with pretrain=0"},
    Idle{"lr_end", without_pretrain, "with pretrain=0"},
    Idle{"refresh", without_pretrain, "with pretrain=0"},
    Idle{"pretrain_penalty", without_pretrain, "with pretrain=0"},
    Idle{"balance_lr", [](const Settings& s) { return s.balance_lr_ratio > 0.0; },
         "with balance_lr_ratio above 0, which replaces it"},
    Idle{"conflict", [](const Settings& s) { return s.objectives.size() == 1; }, "with erm alone"},
};

// With the settings that decide which others there are, and with the batch, which decides other defaults.
RunSpec defaults_for(const RunSpec& spec) {
  base::Assignments deciding;
  for (const Setting& setting : settings_of(spec)) {
    if (decides_settings(setting.name())) {
      deciding.emplace_back(setting.name(), base::as_text(setting.value()));
    }
  }
  RunSpec defaults = resolve(spec.dataset.name, spec.algorithm, deciding);
  if (defaults.settings.batch != spec.settings.batch) {
    deciding.emplace_back("batch", text_of(spec, "batch"));
    defaults = resolve(spec.dataset.name, spec.algorithm, deciding);
  }
  return defaults;
}

}  // namespace

std::vector<std::string> idle_settings_of(const RunSpec& spec) {
  const RunSpec defaults = defaults_for(spec);
  std::vector<std::string> sentences;
  for (const Idle& idle : idle_settings) {
    // Settings of another scheme are refused where a user sets them for one run, and shared by the runs of a
    // sweep.
    if (is_read(spec, idle.setting) && idle.is_idle(spec.settings) &&
        value_of(spec, idle.setting) != value_of(defaults, idle.setting)) {
      sentences.push_back(std::string(idle.setting) + " has no effect " + std::string(idle.reason));
    }
  }
  return sentences;
}

}  // namespace pair::runs
