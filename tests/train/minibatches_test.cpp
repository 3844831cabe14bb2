#include "pair/train/minibatches.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pair::train::minibatches_test {
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

std::vector<std::int64_t> as_vector(const torch::Tensor& numbers) {
  const auto* data = numbers.data_ptr<std::int64_t>();
  return {data, data + numbers.numel()};
}

TEST(EnvironmentsPerStep, AreDrawnWithoutReplacementAndAscend) {
  const std::vector<std::int64_t> sizes = {10, 3, 100, 7, 50};
  const std::vector<std::int64_t> ends = {10, 13, 113, 120, 170};
  Minibatches batches(7, sizes, 16, torch::kCPU, 3);
  EXPECT_EQ(batches.environments(), 3);
  for (std::int64_t step = 0; step < 200; ++step) {
    const std::vector<std::int64_t> chosen = as_vector(batches.environments_of(step).contiguous());
    ASSERT_EQ(chosen.size(), 3U);
    EXPECT_LT(chosen[0], chosen[1]);
    EXPECT_LT(chosen[1], chosen[2]);
    const torch::Tensor rows = batches.rows(step).view({3, 16});
    for (std::int64_t place = 0; place < 3; ++place) {
      const auto environment = static_cast<std::size_t>(chosen[static_cast<std::size_t>(place)]);
      EXPECT_GE(rows[place].min().item<std::int64_t>(), ends[environment] - sizes[environment]);
      EXPECT_LT(rows[place].max().item<std::int64_t>(), ends[environment]);
    }
  }
}

TEST(EnvironmentsPerStep, AreDrawnEquallyOftenAndInAllPairs) {
  constexpr std::int64_t all = 6;
  constexpr std::int64_t steps = 6000;
  Minibatches batches(3, std::vector<std::int64_t>(all, 5), 2, torch::kCPU, 2);
  torch::Tensor counts = torch::zeros({all}, torch::kDouble);
  torch::Tensor pairs = torch::zeros({all * all}, torch::kDouble);
  for (std::int64_t step = 0; step < steps; ++step) {
    const torch::Tensor chosen = batches.environments_of(step);
    counts.index_add_(0, chosen, torch::ones({2}, torch::kDouble));
    pairs[chosen[0].item<std::int64_t>() * all + chosen[1].item<std::int64_t>()] += 1.0;
  }
  // Five standard deviations.
  const double share = 2.0 / all;
  EXPECT_LT((counts - steps * share).abs().max().item<double>(), 5 * std::sqrt(steps * share * (1 - share)));
  const double pair_share = 2.0 / (all * (all - 1));
  const torch::Tensor seen = pairs.index({pairs > 0});
  EXPECT_EQ(seen.numel(), all * (all - 1) / 2);
  EXPECT_LT((seen - steps * pair_share).abs().max().item<double>(),
            5 * std::sqrt(steps * pair_share * (1 - pair_share)));
}

TEST(EnvironmentsPerStep, AreAFunctionOfTheSeedAndTheStep) {
  const std::vector<std::int64_t> sizes(8, 100);
  Minibatches forward(7, sizes, 4, torch::kCPU, 3);
  Minibatches later(7, sizes, 4, torch::kCPU, 3);
  Minibatches other(8, sizes, 4, torch::kCPU, 3);
  bool differs = false;
  for (std::int64_t step = 0; step < 130; ++step) {
    const torch::Tensor chosen = forward.environments_of(step).clone();
    const torch::Tensor rows = forward.rows(step).clone();
    if (step >= 70) {
      EXPECT_TRUE(later.rows(step).equal(rows)) << step;
      EXPECT_TRUE(later.environments_of(step).equal(chosen)) << step;
    }
    differs = differs || !other.environments_of(step).equal(chosen);
  }
  EXPECT_TRUE(differs);
}

TEST(EnvironmentsPerStep, AllOfThemAreTheBatchesWithoutTheOption) {
  Minibatches plain(7, {1000, 20, 300}, 8, torch::kCPU);
  Minibatches all(7, {1000, 20, 300}, 8, torch::kCPU, 3);
  for (const std::int64_t step : {0, 1, 64, 1000}) {
    EXPECT_TRUE(plain.rows(step).equal(all.rows(step)));
    EXPECT_EQ(as_vector(plain.environments_of(step).contiguous()), (std::vector<std::int64_t>{0, 1, 2}));
  }
}

TEST(EnvironmentsPerStep, RefuseMoreThanThereAre) {
  EXPECT_THROW(Minibatches(7, {10, 10}, 8, torch::kCPU, 3), std::invalid_argument);
  EXPECT_THROW(Minibatches(7, {10, 10}, 8, torch::kCPU, -1), std::invalid_argument);
}

}  // namespace
}  // namespace pair::train::minibatches_test
