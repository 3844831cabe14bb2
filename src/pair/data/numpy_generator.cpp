#include "pair/data/numpy_generator.h"

#include <array>
#include <bit>

namespace pair::data {
namespace {

// numpy.random.SeedSequence, after O'Neill's seed_seq_fe: a pool of four words, each of which depends on all
// bits of the seed.
class SeedPool {
 public:
  explicit SeedPool(std::uint64_t seed) {
    const std::array<std::uint32_t, 4> entropy{static_cast<std::uint32_t>(seed),
                                               static_cast<std::uint32_t>(seed >> 32U), 0, 0};
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      pool_[i] = hashed(entropy[i]);
    }
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) {
          pool_[to] = mixed(pool_[to], hashed(pool_[from]));
        }
      }
    }
  }

  // generate_state(4, uint64).
  [[nodiscard]] std::array<std::uint64_t, 4> words() const {
    std::array<std::uint64_t, 4> words{};
    std::uint32_t constant = 0x8b51f9ddU;
    for (std::size_t i = 0; i < 2 * words.size(); ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ constant;
      constant *= 0x58f38dedU;
      value *= constant;
      value ^= value >> 16U;
      words[i / 2] |= static_cast<std::uint64_t>(value) << (i % 2 == 0 ? 0U : 32U);
    }
    return words;
  }

 private:
  std::uint32_t hashed(std::uint32_t value) {
    value ^= constant_;
    constant_ *= 0x931e8875U;
    value *= constant_;
    return value ^ (value >> 16U);
  }
  static std::uint32_t mixed(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t value = 0xca01f9ddU * x - 0x4973f715U * y;
    return value ^ (value >> 16U);
  }

  std::uint32_t constant_ = 0x43b0d7e5U;
  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace

NumpyGenerator::NumpyGenerator(std::uint64_t seed) {
  const std::array<std::uint64_t, 4> words = SeedPool(seed).words();
  const Wide start = (static_cast<Wide>(words[0]) << 64U) | words[1];
  const Wide sequence = (static_cast<Wide>(words[2]) << 64U) | words[3];
  increment_ = (sequence << 1U) | 1U;
  step();
  state_ += start;
  step();
}

void NumpyGenerator::step() {
  constexpr Wide factor = (static_cast<Wide>(2549297995355413924ULL) << 64U) | 4865540595714422341ULL;
  state_ = state_ * factor + increment_;
}

std::uint64_t NumpyGenerator::bits() {
  step();
  const auto folded = static_cast<std::uint64_t>(state_ >> 64U) ^ static_cast<std::uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122U));
}

std::uint32_t NumpyGenerator::half_bits() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const std::uint64_t both = bits();
  has_half_ = true;
  half_ = static_cast<std::uint32_t>(both >> 32U);
  return static_cast<std::uint32_t>(both);
}

std::uint32_t NumpyGenerator::up_to(std::uint32_t most) {
  const auto mask = static_cast<std::uint32_t>(std::bit_ceil(std::uint64_t{most} + 1) - 1);
  for (;;) {
    const std::uint32_t value = half_bits() & mask;
    if (value <= most) {
      return value;
    }
  }
}

}  // namespace pair::data
