#include "pair/train/minibatches.h"

#include <torch/utils.h>

#include <bit>
#include <stdexcept>
#include <string>
#include <tuple>

#include "pair/data/random.h"
#include "pair/models/counter_random.h"

namespace pair::train {
namespace {

constexpr std::int64_t steps_a_block = 64;

}  // namespace

Minibatches::Minibatches(std::uint64_t seed, const std::vector<std::int64_t>& sizes, std::int64_t batch,
                         torch::Device device, std::int64_t environments)
    : key_(std::bit_cast<std::int64_t>(data::Random(seed, "batches").bits())),
      environment_key_(std::bit_cast<std::int64_t>(data::Random(seed, "environments").bits())),
      batch_(batch) {
  const auto all = static_cast<std::int64_t>(sizes.size());
  if (environments < 0 || environments > all) {
    throw std::invalid_argument("environments: expected an integer from 0 to " + std::to_string(all) +
                                ", the number of training environments, got " + std::to_string(environments));
  }
  chosen_ = environments == 0 ? all : environments;
  sizes_ = torch::tensor(sizes, torch::kLong);
  starts_ = (sizes_.cumsum(0) - sizes_).to(device);
  sizes_ = sizes_.to(device);
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

torch::Tensor Minibatches::environments_of(std::int64_t step) {
  if (!holds(step)) {
    draw(step / steps_a_block);
  }
  return environments_[step % steps_a_block];
}

// Each environment has a random word per step; the chosen_ smallest are selected.
torch::Tensor Minibatches::draw_environments(std::int64_t block) const {
  const std::int64_t all = sizes_.size(0);
  if (chosen_ == all) {
    return torch::arange(all, sizes_.options()).expand({steps_a_block, all});
  }
  const std::int64_t first = block * steps_a_block * all;
  const torch::Tensor counters =
      torch::arange(first, first + steps_a_block * all, sizes_.options()) + environment_key_;
  const torch::Tensor order =
      models::random_words(counters).view({steps_a_block, all}).argsort(std::int64_t{1});
  return std::get<0>(order.narrow(1, 0, chosen_).sort(1));
}

void Minibatches::draw(std::int64_t block) {
  const torch::NoGradGuard no_graph;
  const std::int64_t places = chosen_ * batch_;
  const std::int64_t first = block * steps_a_block * places;
  const torch::Tensor counters =
      torch::arange(first, first + steps_a_block * places, starts_.options()) + key_;
  environments_ = draw_environments(block);
  const torch::Tensor of_places =
      environments_.unsqueeze(2).expand({steps_a_block, chosen_, batch_}).reshape({-1});
  const auto at_places = [&](const torch::Tensor& numbers) {
    return numbers.index_select(0, of_places).view({steps_a_block, places});
  };
  // 31 random bits times the size, over 2^31: no place is favoured by more than size / 2^31.
  const torch::Tensor bits =
      models::upper_31_bits(models::random_words(counters)).view({steps_a_block, places});
  drawn_ = torch::bitwise_right_shift(bits * at_places(sizes_), 31) + at_places(starts_);
  block_ = block;
}

}  // namespace pair::train
