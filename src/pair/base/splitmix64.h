#pragma once

#include <cstdint>

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): random words as a function of a counter. Without state, so
// that any of them can be computed again, in any order and by any thread.

namespace pair::base::splitmix64 {

inline constexpr std::uint64_t increment = 0x9e3779b97f4a7c15ULL;
inline constexpr std::uint64_t first_factor = 0xbf58476d1ce4e5b9ULL;
inline constexpr std::uint64_t second_factor = 0x94d049bb133111ebULL;

// The word of a state. A generator adds `increment` to its state before each word.
constexpr std::uint64_t mixed(std::uint64_t state) {
  state = (state ^ (state >> 30U)) * first_factor;
  state = (state ^ (state >> 27U)) * second_factor;
  return state ^ (state >> 31U);
}

// Word number `counter` of the generator with seed 0.
constexpr std::uint64_t word(std::uint64_t counter) {
  return mixed(counter * increment);
}

}  // namespace pair::base::splitmix64
