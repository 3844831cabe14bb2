#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "pair/device/head.h"
#include "pair/train/moments.h"

// Moments (moments.h) as moving averages over steps, for minibatches.
//
// IRMv1, V-REx and their like are functions of expectations, F(E[m]). F of one batch's moments is mostly
// noise: with 64 samples per environment the variance of two risks is of the order of 1e-3, where training
// ends at 1e-5. So F and its derivatives are taken at averages over steps, and the step follows the batch:
//
//     m^_t = m^_(t-1) + a_t (m_t - m^_(t-1)),  a_t = max(1 / window, 1 / t)
//     gradient = sum_j dF/dm_j (m^_t) * gradient of m_j on the batch
//
// The first `window` steps are thus a plain mean. The variance of an average is about 1 / (2 window - 1) of a
// batch's, s^2. That is known from d_t = m_t - m^_(t-1), whose variance is s^2 (1 + 1 / (2 window - 1)): the
// variance of an average is E[d^2] / (2 window), and E[d^2] (t - 1) / t^2 where that is larger, at the
// beginning. E[d^2] is a moving average, too, over 100 steps.

namespace pair::train {

class TrackedMoments {
 public:
  // window: steps, at least 1. The state is on the device from the start, so that updates can be recorded.
  TrackedMoments(double window, std::int64_t environments, torch::Device device);

  // Takes a batch's moments and returns the averages: new tensors, doubles. Values that are not finite are
  // left out: the gradient of such a batch is not finite either, and the guard refuses its step (guard.h).
  [[nodiscard]] Moments updated(const Moments& batch);

  // The variances of the averages, by environment: the squares of their standard errors. 0 for derivatives
  // that no batch had. They include the averages' own movement, so that they are upper bounds while losses
  // fall quickly.
  [[nodiscard]] Moments variances() const;

  // The same on the host, in two parts. First the 1 + 2 environments doubles that the variances are functions
  // of, appended to numbers that are copied there anyway; then, from these, the variances of the risks and of
  // the derivatives.
  [[nodiscard]] torch::Tensor with_variance_numbers(const torch::Tensor& numbers) const;
  [[nodiscard]] std::vector<double> variances(std::span<const double> numbers) const;

  // For kernels that update the averages themselves, as updated() does (device/head.h).
  [[nodiscard]] device::MomentAverages for_kernels() const;

  // For checkpoints: steps [1]; averages, and squared deviations, of risks and derivatives [2, environments].
  [[nodiscard]] std::vector<torch::Tensor> state() const { return {steps_, averages_, squares_}; }
  // Throws std::runtime_error for what state() of the same number of environments has not given.
  void restore(const std::vector<torch::Tensor>& state);

 private:
  double window_;
  torch::Tensor steps_;
  torch::Tensor averages_;
  torch::Tensor squares_;  // averages of d^2
};

}  // namespace pair::train
