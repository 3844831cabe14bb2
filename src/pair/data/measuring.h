#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Two roles for the samples of an environment: some measure the objectives, the others are trained on.
//
// A network that has memorised its samples can make the environments' risks equal on them, and the penalties
// are then low although the model is not invariant. With two roles, objectives and their slopes are taken on
// samples that give no gradient at the time, as with separate data for objective and constraints (A. Cotter
// et al., "Training Well-Generalizing Classifiers for Fairness Metrics and Other Data-Dependent Constraints",
// ICML 2019). Roles may rotate, so that every sample is trained on for most of the time.

namespace pair::data {

struct Measuring {
  // The part of each environment's samples that measures. [0, 0.5]; 0: all samples do both
  double share = 0.0;
  std::int64_t rotate = 0;  // steps after which the next samples measure; 0: never

  [[nodiscard]] bool on() const { return share > 0.0; }

  // The number that measures of n samples, n at least 2: at least one, and not all.
  [[nodiscard]] std::int64_t count(std::int64_t n) const;

  // How often the roles have changed before this step.
  [[nodiscard]] std::int64_t rotations(std::int64_t step) const { return rotate == 0 ? 0 : step / rotate; }

  // The samples that measure at this step: those at places first, ..., first + count - 1 of the environment's
  // order, where the place after n - 1 is 0. Consecutive rotations measure with consecutive places.
  [[nodiscard]] std::int64_t first(std::int64_t step, std::int64_t n) const {
    return rotations(step) % n * count(n) % n;
  }
};

// A random order of an environment's n samples, which may be sorted by label in a file. Throws
// std::invalid_argument for fewer than two.
std::vector<std::int64_t> measuring_order(std::uint64_t seed, std::size_t environment, std::size_t n);

}  // namespace pair::data
