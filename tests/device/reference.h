#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pair/device/loss.h"

// The reference for kernels: torch's operations on the CPU, in doubles.

namespace pair::device::testing {

// Each sample's loss of logits [n, k].
inline torch::Tensor sample_losses(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels) {
  if (loss == Loss::cross_entropy) {
    return torch::cross_entropy_loss(logits, labels, {}, at::Reduction::None);
  }
  const torch::Tensor wide = labels.to(torch::kDouble);
  return loss == Loss::squared_error ? (logits.select(1, 0) - wide).square()
                                     : torch::binary_cross_entropy_with_logits(logits.select(1, 0), wide, {},
                                                                               {}, at::Reduction::None);
}

inline void expect_close(const torch::Tensor& found, const torch::Tensor& expected, double within = 1e-5) {
  const torch::Tensor wide = found.detach().cpu().to(torch::kDouble);
  const torch::Tensor reference = expected.detach().cpu().to(torch::kDouble);
  ASSERT_EQ(wide.sizes(), reference.sizes());
  const double size = reference.abs().max().item<double>();
  EXPECT_LE((wide - reference).abs().max().item<double>(), within * size);
}

}  // namespace pair::device::testing
