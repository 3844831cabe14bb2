#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pair/data/counter_random.h"
#include "pair/data/measuring.h"
#include "pair/data/share.h"
#include "pair/data/source.h"

// The samples of each step's batch: `batch` from each environment, or from some environments drawn for the
// step, as in the paper's Algorithm 1. Samples are drawn with replacement; environments within a step,
// without.
//
// A draw is a function of (seed, step, place in the batch), without state: a resumed run continues with the
// same batches, and steps may be drawn ahead, in any order and by any thread. With all environments in every
// step, the rows are those of train::Minibatches, which draws on the device for resident data.

namespace pair::data {

// Samples per environment and step. They are drawn with replacement, also if there are fewer samples: such a batch
// takes memory, and data in memory draws the rows of many steps at once (train/minibatches.h).
inline constexpr std::int64_t largest_batch = 1'000'000;

struct SamplerOptions {
  std::uint64_t seed = 0;
  std::int64_t batch = 32;                 // samples per environment and step, 1 to largest_batch
  std::int64_t environments_per_step = 0;  // 1 to the number of environments; 0: all of them
  // The part of each environment's batch that this sampler gives: with one sampler per part, together they
  // give the batch of a sampler without parts.
  Share share = {};
  // If it is on, the first measuring.count(batch) places of each environment are drawn from the samples that
  // measure at the step, the others from those that are trained on. Needs two samples per environment and
  // batch, and the whole share.
  Measuring measuring = {};
};

class Sampler {
 public:
  // samples: for each environment, the samples to draw from; at least one and fewer than 2^31. Throws
  // std::invalid_argument if that or an option is out of range.
  Sampler(std::vector<std::vector<std::size_t>> samples, const SamplerOptions& options);

  // Samples per step: batch, or the part of it in options().share, times environments per step. Places below
  // are those of these samples.
  [[nodiscard]] std::size_t places() const { return places_; }
  [[nodiscard]] std::size_t environments() const { return samples_.size(); }
  [[nodiscard]] const SamplerOptions& options() const { return options_; }

  // The environments of the step: indices below environments(), ascending.
  [[nodiscard]] std::vector<std::size_t> environments_of(std::int64_t step) const;

  // The samples of a step, ordered by environment.
  [[nodiscard]] std::vector<std::size_t> samples_of(std::int64_t step) const;

  // A replacement for a sample that cannot be read: another one of the same environment, drawn for each
  // attempt, from 1. It may be the same by chance.
  [[nodiscard]] std::size_t replacement(std::int64_t step, std::size_t place, std::uint64_t attempt) const;

  // The counter of a place, for further random numbers that are functions of (seed, step, place).
  [[nodiscard]] std::uint64_t counter(std::int64_t step, std::size_t place) const {
    return static_cast<std::uint64_t>(step) * all_places_ + place_in_batch(place);
  }

 private:
  // The place in the batch of all parts.
  [[nodiscard]] std::size_t place_in_batch(std::size_t place) const;
  // One of the samples that a place may have: below(n) chooses from n of them.
  template <class Below>
  [[nodiscard]] std::size_t sample_at(std::int64_t step, std::size_t environment, std::size_t place,
                                      const Below& below) const;

  std::vector<std::vector<std::size_t>> samples_;  // if some measure, in the order of measuring_order
  SamplerOptions options_;
  std::size_t taken_ = 0;  // environments per step
  std::size_t own_ = 0;    // samples per environment
  std::size_t places_ = 0;
  std::size_t all_places_ = 0;  // of all parts
  CounterRandom draws_;
  CounterRandom environment_draws_;
  CounterRandom replacements_;
};

}  // namespace pair::data
