#pragma once

#include <cstdint>
#include <span>
#include <utility>

// The draws of numpy.random.default_rng, bit for bit: SeedSequence, PCG64 (O'Neill, HMC-CS-2014-0905: 128
// bits of state, XSL-RR output) and Generator.shuffle. WILDS draws PovertyMap's splits with it. NumPy may
// change Generator's distributions (NEP 19), but has kept shuffle of one-dimensional arrays since 1.17.

namespace pair::data {

class NumpyGenerator {
 public:
  // default_rng(seed).
  explicit NumpyGenerator(std::uint64_t seed);

  // The generator's next 64 bits.
  std::uint64_t bits();
  // 32 of them: the lower half of 64 new bits, then the upper half.
  std::uint32_t half_bits();

  // shuffle(values), for fewer than 2^32 values.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[up_to(static_cast<std::uint32_t>(i - 1))]);
    }
  }

 private:
  // In [0, most]: bits under the mask of `most`, drawn until they are in range.
  std::uint32_t up_to(std::uint32_t most);

  __extension__ using Wide = unsigned __int128;
  void step();

  Wide state_ = 0;
  Wide increment_ = 0;
  bool has_half_ = false;
  std::uint32_t half_ = 0;
};

}  // namespace pair::data
