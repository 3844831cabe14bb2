#pragma once

#include <cstdint>
#include <optional>

#include "pair/train/settings.h"
#include "pair/train/update.h"

// The phases of a run, with the update and the learning rate of each. Pure functions of the settings and the
// step.
//
// A run begins with the descent: the linear scheme's weights, or PAIR-o's ERM alone. After `pretrain` steps
// PAIR-o begins its balance phase; the linear scheme, where settings.refresh says so, a fresh update.

namespace pair::train {

enum class Phase { descent, balance };

class Phases {
 public:
  explicit Phases(const Settings& settings) : settings_(&settings) {}  // settings must outlive this object

  enum class Change { none, fresh_update, balance };
  // What begins with the step (counted from 0).
  [[nodiscard]] Change before(std::int64_t step) const;

  // The learning rate of a step, before what the guard takes off.
  [[nodiscard]] double lr(Phase phase, std::int64_t step) const;

  // The update a phase begins with. Nothing: the one before continues, Adam through PAIR-o's balance phase
  // (but from the start where its parameters are others, or settings.refresh says so).
  [[nodiscard]] UpdateOptions descent_update() const;
  [[nodiscard]] std::optional<UpdateOptions> balance_update() const;

 private:
  const Settings* settings_;
};

}  // namespace pair::train
