#include "pair/models/counter_random.h"

#include <bit>

namespace pair::models {
namespace {

constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t first_factor = 0xbf58476d1ce4e5b9ULL;
constexpr std::uint64_t second_factor = 0x94d049bb133111ebULL;

constexpr std::int64_t signed_bits(std::uint64_t word) {
  return std::bit_cast<std::int64_t>(word);
}

// A logical shift; int64's own shift keeps the sign.
torch::Tensor shifted_right(const torch::Tensor& words, int places) {
  return torch::bitwise_right_shift(words, places).bitwise_and_(signed_bits(~std::uint64_t{0} >> places));
}

}  // namespace

torch::Tensor random_words(const torch::Tensor& counters) {
  torch::Tensor words = counters * signed_bits(golden_ratio);
  words = (words ^ shifted_right(words, 30)) * signed_bits(first_factor);
  words = (words ^ shifted_right(words, 27)) * signed_bits(second_factor);
  return words ^ shifted_right(words, 31);
}

std::uint64_t random_word(std::uint64_t counter) {
  std::uint64_t word = counter * golden_ratio;
  word = (word ^ (word >> 30)) * first_factor;
  word = (word ^ (word >> 27)) * second_factor;
  return word ^ (word >> 31);
}

torch::Tensor upper_31_bits(const torch::Tensor& words) {
  return shifted_right(words, 33);
}

}  // namespace pair::models
