#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pair/data/counter_random.h"
#include "pair/data/source.h"

// Which samples make up the batch of each step: `batch` of each environment, or of some environments drawn
// for the step, as the paper's Algorithm 1 has it. Samples are drawn with replacement, environments within a
// step without.
//
// A draw is a function of (seed, step, place in the batch), so there is no state: a resumed run continues
// with the same batches, and steps may be drawn ahead, in any order and by any thread. With all environments
// in every step, the rows are those of train::Minibatches, which draws on the device for data that is in
// memory.

namespace pair::data {

struct SamplerOptions {
  std::uint64_t seed = 0;
  std::int64_t batch = 32;                 // samples per environment and step, 1 to 1,000,000
  std::int64_t environments_per_step = 0;  // 1 to the number of environments; 0: all of them
};

class Sampler {
 public:
  // samples: for each environment, the samples to draw from; fewer than 2^31 and at least one. Throws
  // std::invalid_argument where that or an option is out of range.
  Sampler(std::vector<std::vector<std::size_t>> samples, const SamplerOptions& options);

  // The samples of one split. Environments that have none of it, such as test environments, are left out.
  Sampler(const Source& source, Split split, const SamplerOptions& options);

  // Samples per step: batch times environments per step.
  [[nodiscard]] std::size_t places() const { return places_; }
  [[nodiscard]] std::size_t environments() const { return samples_.size(); }
  [[nodiscard]] const SamplerOptions& options() const { return options_; }

  // Which of the environments take part in the step: indices below environments(), ascending.
  [[nodiscard]] std::vector<std::size_t> environments_of(std::int64_t step) const;

  // The samples of a step's places, the environments one after another.
  [[nodiscard]] std::vector<std::size_t> samples_of(std::int64_t step) const;

  // Instead of the sample at that place, where it cannot be read: another one of the same environment, drawn
  // anew for each attempt from 1 on. It may be the same by chance.
  [[nodiscard]] std::size_t replacement(std::int64_t step, std::size_t place, std::uint64_t attempt) const;

  // The counter of a place: for further random numbers that are functions of (seed, step, place).
  [[nodiscard]] std::uint64_t counter(std::int64_t step, std::size_t place) const {
    return static_cast<std::uint64_t>(step) * places_ + place;
  }

 private:
  std::vector<std::vector<std::size_t>> samples_;
  SamplerOptions options_;
  std::size_t taken_ = 0;  // environments per step
  std::size_t places_ = 0;
  CounterRandom draws_;
  CounterRandom environment_draws_;
  CounterRandom replacements_;
};

}  // namespace pair::data
