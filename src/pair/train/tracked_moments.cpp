#include "pair/train/tracked_moments.h"

#include <torch/utils.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace pair::train {
namespace {

constexpr double squares_window = 100.0;  // steps

}  // namespace

TrackedMoments::TrackedMoments(double window, std::int64_t environments, torch::Device device)
    : window_(window) {
  const torch::TensorOptions doubles = torch::TensorOptions(torch::kDouble).device(device);
  steps_ = torch::zeros({1}, doubles);
  averages_ = torch::zeros({2, environments}, doubles);
  squares_ = torch::zeros({2, environments}, doubles);
}

// Few operations: on a device, each costs as much as its launch.
Moments TrackedMoments::updated(const Moments& batch) {
  const torch::NoGradGuard no_graph;
  // The first squared deviation is from 0; the second step's replaces it.
  const torch::Tensor share_of_squares = steps_.reciprocal().clamp(1.0 / squares_window, 1.0);
  steps_.add_(1.0);
  const torch::Tensor share = steps_.reciprocal().clamp_min(1.0 / window_);
  const bool both = batch.derivatives.defined();
  const torch::Tensor moments =
      both ? torch::stack({batch.risks, batch.derivatives}) : batch.risks.unsqueeze(0);
  torch::Tensor averages = averages_.narrow(0, 0, moments.size(0));
  const torch::Tensor deviation = torch::nan_to_num(moments - averages, 0.0, 0.0, 0.0);
  squares_.narrow(0, 0, moments.size(0)).lerp_(deviation.square(), share_of_squares);
  averages.add_(deviation * share);
  const torch::Tensor result = averages.clone();
  return {result[0], both ? result[1] : torch::Tensor()};
}

Moments TrackedMoments::variances() const {
  const torch::NoGradGuard no_graph;
  const torch::Tensor known = torch::where(steps_ > 1.0, squares_, torch::zeros_like(squares_));
  // While the window fills, the average is a plain mean of t batches: E[d^2] = s^2 t / (t - 1), variance s^2 / t.
  const torch::Tensor share = ((steps_ - 1.0) / steps_.square().clamp_min(1.0)).clamp_min(0.5 / window_);
  const torch::Tensor variances = known * share;
  return {variances[0], variances[1]};
}

torch::Tensor TrackedMoments::with_variance_numbers(const torch::Tensor& numbers) const {
  return torch::cat({numbers, steps_, squares_.flatten()});
}

std::vector<double> TrackedMoments::variances(std::span<const double> numbers) const {
  const double steps = numbers.front();
  const double share = steps > 1.0 ? std::max((steps - 1.0) / (steps * steps), 0.5 / window_) : 0.0;
  std::vector<double> variances;
  for (const double square : numbers.subspan(1)) {
    variances.push_back(share * square);
  }
  return variances;
}

device::MomentAverages TrackedMoments::for_kernels() const {
  return {.steps = steps_,
          .averages = averages_,
          .squares = squares_,
          .window = window_,
          .squares_window = squares_window};
}

void TrackedMoments::restore(const std::vector<torch::Tensor>& state) {
  const std::vector<torch::Tensor> own = this->state();
  const bool fits = std::equal(
      own.begin(), own.end(), state.begin(), state.end(),
      [](const torch::Tensor& mine, const torch::Tensor& other) { return mine.sizes() == other.sizes(); });
  if (!fits) {
    throw std::runtime_error("the checkpoint does not hold the tracked moments of " +
                             std::to_string(averages_.size(1)) + " environments");
  }
  const torch::NoGradGuard no_graph;
  for (std::size_t i = 0; i < own.size(); ++i) {
    torch::Tensor(own[i]).copy_(state[i]);
  }
}

}  // namespace pair::train
