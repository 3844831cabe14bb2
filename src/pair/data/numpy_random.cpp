#include "pair/data/numpy_random.h"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace pair::data {

NumpyRandom::NumpyRandom(std::uint32_t seed) {
  for (std::size_t i = 0; i < length; ++i) {
    state_[i] = seed;
    seed = 1812433253U * (seed ^ (seed >> 30U)) + static_cast<std::uint32_t>(i) + 1U;
  }
}

// The authors' init_by_array.
NumpyRandom::NumpyRandom(std::span<const std::uint32_t> key) : NumpyRandom(19650218U) {
  if (key.empty()) {
    throw std::invalid_argument("the key of a random generator: expected at least one number, got none");
  }
  std::size_t i = 1;
  std::size_t j = 0;
  const auto mixed = [&](std::uint32_t factor) {
    return state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * factor);
  };
  const auto advance = [&] {
    if (++i == length) {
      state_[0] = state_[length - 1];
      i = 1;
    }
  };
  for (std::size_t k = std::max(length, key.size()); k > 0; --k) {
    state_[i] = mixed(1664525U) + key[j] + static_cast<std::uint32_t>(j);
    advance();
    j = j + 1 == key.size() ? 0 : j + 1;
  }
  for (std::size_t k = length - 1; k > 0; --k) {
    state_[i] = mixed(1566083941U) - static_cast<std::uint32_t>(i);
    advance();
  }
  state_[0] = 0x80000000U;
}

void NumpyRandom::refill() {
  constexpr std::size_t shift = 397;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint32_t word = (state_[i] & 0x80000000U) | (state_[(i + 1) % length] & 0x7fffffffU);
    state_[i] = state_[(i + shift) % length] ^ (word >> 1U) ^ ((word & 1U) != 0 ? 0x9908b0dfU : 0U);
  }
  at_ = 0;
}

std::uint32_t NumpyRandom::bits() {
  if (at_ == length) {
    refill();
  }
  std::uint32_t word = state_[at_++];
  word ^= word >> 11U;
  word ^= (word << 7U) & 0x9d2c5680U;
  word ^= (word << 15U) & 0xefc60000U;
  return word ^ (word >> 18U);
}

double NumpyRandom::uniform() {
  const std::uint32_t high = bits() >> 5U;
  const std::uint32_t low = bits() >> 6U;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::uint64_t NumpyRandom::up_to(std::uint64_t most) {
  if (most == 0) {
    return 0;
  }
  const std::uint64_t mask = std::bit_ceil(most + 1) - 1;  // most is below 2^63
  for (;;) {
    std::uint64_t value = bits();
    if (most > 0xffffffffU) {
      value = value << 32U | bits();
    }
    value &= mask;
    if (value <= most) {
      return value;
    }
  }
}

std::int64_t NumpyRandom::randint(std::int64_t low, std::int64_t high) {
  if (low >= high) {
    throw std::invalid_argument("randint: expected low below high, got " + std::to_string(low) + " and " +
                                std::to_string(high));
  }
  return low + static_cast<std::int64_t>(up_to(static_cast<std::uint64_t>(high - 1 - low)));
}

std::vector<std::int64_t> NumpyRandom::permutation(std::size_t count) {
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(std::span(order));
  return order;
}

std::uint32_t domainbed_seed(std::string_view arguments) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(arguments.data(), arguments.size(), digest.data(), &size, EVP_md5(), nullptr) != 1 ||
      size != 16) {
    throw std::runtime_error("OpenSSL could not compute an MD5 digest");
  }
  // The last 31 of the 128 bits.
  std::uint32_t last = 0;
  for (std::size_t i = 12; i < 16; ++i) {
    last = last << 8U | digest[i];
  }
  return last & 0x7fffffffU;
}

std::uint32_t domainbed_seed(std::int64_t first, std::int64_t second) {
  const std::string arguments = std::to_string(first) + ", " + std::to_string(second);
  return domainbed_seed('(' + arguments + ')');
}

std::uint32_t domainbed_seed(std::int64_t first, std::string_view second) {
  const std::string arguments = std::to_string(first) + ", '" + std::string(second) + '\'';
  return domainbed_seed('(' + arguments + ')');
}

DomainBedSplit domainbed_split(std::size_t count, double holdout, std::uint64_t trial_seed,
                               std::int64_t environment) {
  const std::uint32_t seed =
      domainbed_seed("(" + std::to_string(trial_seed) + ", " + std::to_string(environment) + ")");
  const std::vector<std::int64_t> order = NumpyRandom(seed).permutation(count);
  const auto out = static_cast<std::ptrdiff_t>(static_cast<double>(count) * holdout);
  return {{order.begin(), order.begin() + out}, {order.begin() + out, order.end()}};
}

}  // namespace pair::data
