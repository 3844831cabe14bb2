#include "pair/train/minibatches.h"

#include <torch/utils.h>

#include <bit>

#include "pair/data/random.h"
#include "pair/models/counter_random.h"

namespace pair::train {
namespace {

constexpr std::int64_t steps_a_block = 64;

}  // namespace

Minibatches::Minibatches(std::uint64_t seed, const std::vector<std::int64_t>& sizes, std::int64_t batch,
                         torch::Device device)
    : key_(std::bit_cast<std::int64_t>(data::Random(seed, "batches").bits())) {
  std::vector<torch::Tensor> starts;
  std::vector<torch::Tensor> counts;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    starts.push_back(torch::full({batch}, start, torch::kLong));
    counts.push_back(torch::full({batch}, size, torch::kLong));
    start += size;
  }
  starts_ = torch::cat(starts).to(device);
  sizes_ = torch::cat(counts).to(device);
}

bool Minibatches::holds(std::int64_t step) const {
  return step / steps_a_block == block_;
}

torch::Tensor Minibatches::rows(std::int64_t step) {
  if (!holds(step)) {
    draw(step / steps_a_block);
  }
  return drawn_[step % steps_a_block];
}

void Minibatches::draw(std::int64_t block) {
  const torch::NoGradGuard no_graph;
  const std::int64_t places = starts_.numel();
  const std::int64_t first = block * steps_a_block * places;
  const torch::Tensor counters =
      torch::arange(first, first + steps_a_block * places, starts_.options()) + key_;
  // 31 random bits times the size, over 2^31: no place is favoured by more than size / 2^31.
  const torch::Tensor bits =
      models::upper_31_bits(models::random_words(counters)).view({steps_a_block, places});
  drawn_ = torch::bitwise_right_shift(bits * sizes_, 31) + starts_;
  block_ = block;
}

}  // namespace pair::train
