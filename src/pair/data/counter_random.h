#pragma once

#include <cstdint>
#include <string_view>

#include "pair/base/splitmix64.h"
#include "pair/data/random.h"

// Counter-based random numbers: without state, so that any of them can be recomputed, in any order and by any
// thread (base/splitmix64.h).

namespace pair::data {

class CounterRandom {
 public:
  // stream separates purposes, as for Random.
  CounterRandom(std::uint64_t seed, std::string_view stream) : key_(Random(seed, stream).bits()) {}

  [[nodiscard]] std::uint64_t word(std::uint64_t counter) const {
    return base::splitmix64::word(counter + key_);
  }

  // In [0, bound), bound from 1 to 2^31: 31 random bits times bound, over 2^31. No value is favoured by more
  // than bound / 2^31.
  [[nodiscard]] std::uint64_t below(std::uint64_t counter, std::uint64_t bound) const {
    return scaled(word(counter), bound);
  }

  // In [0, 1), with 53 random bits.
  [[nodiscard]] double uniform(std::uint64_t counter) const {
    return static_cast<double>(word(counter) >> 11U) * 0x1p-53;
  }

  // The same from another sequence per counter: its number n, from 1.
  [[nodiscard]] double nth_uniform(std::uint64_t counter, std::uint64_t n) const {
    return static_cast<double>(base::splitmix64::word(word(counter) + n) >> 11U) * 0x1p-53;
  }

  // Another sequence per counter: its number n, from 1.
  [[nodiscard]] std::uint64_t nth_below(std::uint64_t counter, std::uint64_t n, std::uint64_t bound) const {
    return scaled(base::splitmix64::word(word(counter) + n), bound);
  }

 private:
  static std::uint64_t scaled(std::uint64_t word, std::uint64_t bound) {
    return ((word >> 33U) * bound) >> 31U;
  }

  std::uint64_t key_;
};

}  // namespace pair::data
