#include "pair/train/minibatches.h"

#include <torch/utils.h>

#include <bit>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "pair/data/random.h"
#include "pair/models/counter_random.h"

namespace pair::train {
namespace {

constexpr std::int64_t steps_a_block = 64;

// Numbers of the environments, [all environments], at the environments of places: [steps_a_block, places].
torch::Tensor at_places(const torch::Tensor& numbers, const torch::Tensor& of_places) {
  return numbers.index_select(0, of_places).view({steps_a_block, -1});
}

// A draw from 0 to choices - 1 by 31 random bits. None is favoured by more than choices / 2^31.
torch::Tensor below(const torch::Tensor& bits, const torch::Tensor& choices) {
  return torch::bitwise_right_shift(bits * choices, 31);
}

}  // namespace

void require_environments(std::int64_t per_step, std::size_t all) {
  if (per_step < 0 || std::cmp_greater(per_step, all)) {
    throw std::invalid_argument("environments: expected an integer from 0 to " + std::to_string(all) +
                                ", the number of training environments, got " + std::to_string(per_step));
  }
}

Minibatches::Minibatches(std::uint64_t seed, const std::vector<std::int64_t>& sizes, std::int64_t batch,
                         torch::Device device, std::int64_t environments, data::Measuring measuring)
    : key_(std::bit_cast<std::int64_t>(data::Random(seed, "batches").bits())),
      environment_key_(std::bit_cast<std::int64_t>(data::Random(seed, "environments").bits())),
      batch_(batch),
      measuring_(measuring) {
  require_environments(environments, sizes.size());
  chosen_ = environments == 0 ? static_cast<std::int64_t>(sizes.size()) : environments;
  sizes_ = torch::tensor(sizes, torch::kLong);
  starts_ = (sizes_.cumsum(0) - sizes_).to(device);
  sizes_ = sizes_.to(device);
  if (measuring_.on()) {
    if (batch < 2) {
      throw std::invalid_argument(
          "batch: expected at least 2, one to measure and one to train on (measure_share), got " +
          std::to_string(batch));
    }
    order_ = measuring_rows(seed, sizes).to(device);
    std::vector<std::int64_t> measurers;
    for (const std::int64_t size : sizes) {
      measurers.push_back(measuring_.count(size));
    }
    measurers_ = torch::tensor(measurers, torch::kLong).to(device);
  }
}

torch::Tensor measuring_rows(std::uint64_t seed, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> rows;
  for (std::size_t e = 0; e < sizes.size(); ++e) {
    const auto start = static_cast<std::int64_t>(rows.size());
    for (const std::int64_t i : data::measuring_order(seed, e, static_cast<std::size_t>(sizes[e]))) {
      rows.push_back(start + i);
    }
  }
  return torch::tensor(rows, torch::kLong);
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
  const torch::Tensor bits =
      models::upper_31_bits(models::random_words(counters)).view({steps_a_block, places});
  drawn_ = measuring_.on() ? rows_by_role(bits, of_places, block) : plain_rows(bits, of_places);
  block_ = block;
}

torch::Tensor Minibatches::plain_rows(const torch::Tensor& bits, const torch::Tensor& of_places) const {
  return below(bits, at_places(sizes_, of_places)) + at_places(starts_, of_places);
}

// As data::Sampler does it.
torch::Tensor Minibatches::rows_by_role(const torch::Tensor& bits, const torch::Tensor& of_places,
                                        std::int64_t block) const {
  const torch::Tensor sizes = at_places(sizes_, of_places);
  const torch::Tensor measurers = at_places(measurers_, of_places);
  const torch::Tensor measures =
      (torch::arange(bits.size(1), bits.options()) % batch_ < measuring_.count(batch_)).expand_as(bits);
  std::vector<std::int64_t> rotations;
  for (std::int64_t step = block * steps_a_block; step < (block + 1) * steps_a_block; ++step) {
    rotations.push_back(measuring_.rotations(step));
  }
  const torch::Tensor turns = torch::tensor(rotations, torch::kLong).to(bits.device()).unsqueeze(1);
  const torch::Tensor first =
      turns % sizes * measurers % sizes + torch::where(measures, torch::zeros_like(measurers), measurers);
  const torch::Tensor among = torch::where(measures, measurers, sizes - measurers);
  const torch::Tensor place = (first + below(bits, among)) % sizes;
  return order_.index_select(0, (at_places(starts_, of_places) + place).flatten()).view_as(bits);
}

}  // namespace pair::train
