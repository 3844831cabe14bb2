#pragma once

#include <cstdint>
#include <optional>

#include "pair/train/settings.h"
#include "pair/train/update.h"

// The phases of a run, with the update and the learning rate of each. Pure functions of the settings and the
// step.
//
// A run begins with the descent phase: the linear scheme's weights, or ERM alone for PAIR-o. After `pretrain`
// steps, PAIR-o begins its balance phase; the linear scheme begins a fresh update if settings.refresh is set; and
// an algorithm with its own update, which has taken steps of ERM until then, begins with it.

namespace pair::train {

enum class Phase { descent, balance };

class Phases {
 public:
  explicit Phases(const Settings& settings) : settings_(&settings) {}  // settings must outlive this object

  enum class Change { none, fresh_update, balance, own_update };
  // The phase or update that begins with the step (counted from 0).
  [[nodiscard]] Change before(std::int64_t step) const;

  // The learning rate of a step, with warm-up and schedule, before the guard's factor.
  [[nodiscard]] double lr(Phase phase, std::int64_t step) const;

  // The update that a phase begins with. None: the previous one continues, Adam through PAIR-o's balance
  // phase (but from the start if its parameters differ or settings.refresh is set).
  [[nodiscard]] UpdateOptions descent_update() const;
  [[nodiscard]] std::optional<UpdateOptions> balance_update() const;

 private:
  [[nodiscard]] UpdateOptions adam() const;
  [[nodiscard]] double rate_of(Phase phase, std::int64_t step) const;
  [[nodiscard]] double factor(std::int64_t step) const;

  const Settings* settings_;
};

}  // namespace pair::train
