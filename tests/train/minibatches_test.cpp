#include "pair/train/minibatches.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pair::train {
namespace {

TEST(Minibatches, DrawsEachEnvironmentsOwnRows) {
  Minibatches batches(7, {10, 3, 100}, 16, torch::kCPU);
  for (const std::int64_t step : {0, 1, 63, 64, 1000}) {
    const torch::Tensor rows = batches.rows(step).view({3, 16});
    EXPECT_GE(rows[0].min().item<std::int64_t>(), 0);
    EXPECT_LT(rows[0].max().item<std::int64_t>(), 10);
    EXPECT_GE(rows[1].min().item<std::int64_t>(), 10);
    EXPECT_LT(rows[1].max().item<std::int64_t>(), 13);
    EXPECT_GE(rows[2].min().item<std::int64_t>(), 13);
    EXPECT_LT(rows[2].max().item<std::int64_t>(), 113);
  }
}

TEST(Minibatches, AreAFunctionOfTheSeedAndTheStep) {
  Minibatches forward(7, {1000, 1000}, 8, torch::kCPU);
  Minibatches backward(7, {1000, 1000}, 8, torch::kCPU);
  Minibatches other(8, {1000, 1000}, 8, torch::kCPU);
  std::vector<torch::Tensor> rows;
  for (std::int64_t step = 0; step < 200; ++step) {
    rows.push_back(forward.rows(step).clone());
  }
  for (std::int64_t step = 199; step >= 0; --step) {
    EXPECT_TRUE(torch::equal(backward.rows(step), rows[static_cast<std::size_t>(step)])) << step;
  }
  EXPECT_FALSE(torch::equal(other.rows(0), rows[0]));
  EXPECT_FALSE(torch::equal(rows[0], rows[1]));
}

// Pearson's chi-squared over all rows, and over the steps between two draws of one row's neighbourhood: both
// within five standard deviations of what fair draws give.
TEST(Minibatches, AreFair) {
  constexpr std::int64_t samples = 97;
  Minibatches batches(3, {samples}, 64, torch::kCPU);
  torch::Tensor counts = torch::zeros({samples}, torch::kDouble);
  torch::Tensor pairs = torch::zeros({samples}, torch::kDouble);
  constexpr std::int64_t steps = 2000;
  for (std::int64_t step = 0; step < steps; ++step) {
    const torch::Tensor rows = batches.rows(step);
    counts.add_(torch::bincount(rows, {}, samples));
    const torch::Tensor differences = (rows.narrow(0, 1, 63) - rows.narrow(0, 0, 63) + samples) % samples;
    pairs.add_(torch::bincount(differences, {}, samples));
  }
  for (const torch::Tensor& seen : {counts, pairs}) {
    const double expected = seen.sum().item<double>() / samples;
    const double chi_squared = ((seen - expected).square() / expected).sum().item<double>();
    EXPECT_NEAR(chi_squared, samples - 1, 5 * std::sqrt(2.0 * (samples - 1)));
  }
}

}  // namespace
}  // namespace pair::train
