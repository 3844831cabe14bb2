#include "pair/models/counter_random.h"

#include <bit>

#include "pair/base/splitmix64.h"

namespace pair::models {
namespace {

namespace splitmix64 = base::splitmix64;

constexpr std::int64_t signed_bits(std::uint64_t word) {
  return std::bit_cast<std::int64_t>(word);
}

// A logical shift; int64's own shift keeps the sign.
torch::Tensor shifted_right(const torch::Tensor& words, int places) {
  return torch::bitwise_right_shift(words, places).bitwise_and_(signed_bits(~std::uint64_t{0} >> places));
}

}  // namespace

torch::Tensor random_words(const torch::Tensor& counters) {
  torch::Tensor words = counters * signed_bits(splitmix64::increment);
  words = (words ^ shifted_right(words, 30)) * signed_bits(splitmix64::first_factor);
  words = (words ^ shifted_right(words, 27)) * signed_bits(splitmix64::second_factor);
  return words ^ shifted_right(words, 31);
}

torch::Tensor upper_31_bits(const torch::Tensor& words) {
  return shifted_right(words, 33);
}

}  // namespace pair::models
