#include "pair/train/ranks.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace pair::train {
namespace {

// Sums of fewer numbers are computed by every rank: one exchange instead of two.
constexpr std::int64_t few_numbers = 4096;

// The sum of the rows [r, n] in doubles, one after the other.
torch::Tensor sum_of_rows(const torch::Tensor& rows) {
  torch::Tensor sum = rows[0].to(torch::kDouble, /*non_blocking=*/false, /*copy=*/true);
  for (std::int64_t r = 1; r < rows.size(0); ++r) {
    sum.add_(rows[r].to(torch::kDouble));
  }
  return sum;
}

std::int64_t bytes_of(const torch::Tensor& tensor) {
  return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
}

}  // namespace

struct Ranks::State {
  std::int64_t bytes = 0;
  bool own_wish = false;  // to stop
  bool any_wish = false;
};

Ranks::Ranks(std::shared_ptr<RankGroup> group)
    : group_(std::move(group)), state_(std::make_shared<State>()) {}

std::int64_t Ranks::rank() const {
  return group_ ? group_->rank() : 0;
}
std::int64_t Ranks::size() const {
  return group_ ? group_->size() : 1;
}
std::int64_t Ranks::local_rank() const {
  return group_ ? group_->local_rank() : 0;
}

// Each rank adds up one part of the numbers and sends the sums to the others: 2 (size - 1) / size times the
// numbers, as few as a ring's, and every number is added in the order of the ranks.
at::Tensor Ranks::sum(const at::Tensor& numbers) const {
  if (!group_) {
    return numbers;
  }
  const torch::NoGradGuard no_graph;
  const std::int64_t count = numbers.numel();
  if (count <= few_numbers) {
    return sum_of_rows(gathered(numbers.reshape({-1}))).to(numbers.scalar_type()).view(numbers.sizes());
  }
  const std::int64_t part = (count + size() - 1) / size();
  torch::Tensor sent = torch::zeros({size() * part}, numbers.options().requires_grad(false));
  sent.narrow(0, 0, count).copy_(numbers.detach().reshape({-1}));
  state_->bytes += bytes_of(sent) / size() * (size() - 1);
  const torch::Tensor received = group_->exchanged(sent.view({size(), part}));
  const torch::Tensor sums = gathered(sum_of_rows(received).to(numbers.scalar_type()));
  return sums.view({-1}).narrow(0, 0, count).view(numbers.sizes());
}

at::Tensor Ranks::sum_and_wishes(const at::Tensor& numbers) const {
  if (!group_) {
    return numbers;
  }
  const torch::NoGradGuard no_graph;
  // On a device, the wish travels from host to host: reading it must not wait for the device.
  const torch::Tensor wish = torch::full({1}, state_->own_wish ? 1.0 : 0.0, torch::kDouble);
  const torch::Tensor flat = numbers.detach().reshape({-1}).to(torch::kDouble);
  const torch::Tensor rows = gathered(numbers.is_cpu() ? torch::cat({flat, wish}) : wish);
  state_->any_wish = state_->any_wish || rows.select(1, rows.size(1) - 1).max().item<double>() > 0.0;
  const torch::Tensor sums =
      numbers.is_cpu() ? sum_of_rows(rows).narrow(0, 0, flat.size(0)) : sum_of_rows(gathered(flat));
  return sums.to(numbers.scalar_type()).view(numbers.sizes());
}

at::Tensor Ranks::gathered(const at::Tensor& own) const {
  if (!group_) {
    return own.unsqueeze(0);
  }
  const torch::NoGradGuard no_graph;
  state_->bytes += bytes_of(own) * (size() - 1);
  return group_->gathered(own.detach().contiguous());
}

std::string Ranks::from_first(std::string bytes) const {
  if (!group_) {
    return bytes;
  }
  const bool first = rank() == 0;
  torch::Tensor count = torch::full({1}, static_cast<std::int64_t>(bytes.size()), torch::kLong);
  group_->broadcast(count);
  torch::Tensor content = torch::empty({count.item<std::int64_t>()}, torch::kByte);
  if (first) {
    std::ranges::copy(bytes, content.data_ptr<std::uint8_t>());
    state_->bytes += (bytes_of(count) + bytes_of(content)) * (size() - 1);
  }
  if (content.numel() > 0) {
    group_->broadcast(content);
  }
  const auto* const received = content.data_ptr<std::uint8_t>();
  bytes.assign(received, received + content.numel());
  return bytes;
}

std::vector<double> Ranks::from_first(const std::vector<double>& numbers) const {
  // Not memcpy: the list may be empty, and memcpy does not allow its null pointer.
  std::string bytes(numbers.size() * sizeof(double), '\0');
  std::ranges::copy(std::as_bytes(std::span(numbers)), std::as_writable_bytes(std::span(bytes)).begin());
  bytes = from_first(std::move(bytes));
  std::vector<double> result(bytes.size() / sizeof(double));
  std::ranges::copy(std::as_bytes(std::span(bytes)), std::as_writable_bytes(std::span(result)).begin());
  return result;
}

void Ranks::wish_to_stop() const {
  if (state_) {
    state_->own_wish = true;
  }
}

bool Ranks::wished_to_stop() const {
  return state_ && state_->any_wish;
}

std::int64_t Ranks::bytes_sent() const {
  return state_ ? state_->bytes : 0;
}

}  // namespace pair::train
