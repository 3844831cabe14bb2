#include "pair/data/sampler.h"

#include <gtest/gtest.h>

#include "pair/train/minibatches.h"
#include "tests/train/small_data.h"

namespace pair::train::sampler_test {
namespace {

// Data in memory and data that is read as it is needed are trained on the same samples.
TEST(SamplerAndMinibatches, DrawTheSameRows) {
  const std::vector<std::int64_t> sizes{1000, 3, 70'000};
  const std::vector<std::vector<std::size_t>> samples = testing::consecutive_samples(sizes);
  for (const std::uint64_t seed : {0U, 7U, 123'456'789U}) {
    Minibatches minibatches(seed, sizes, 8, torch::kCPU);
    const data::Sampler sampler(samples, {.seed = seed, .batch = 8});
    for (const std::int64_t step : {0, 1, 63, 64, 65, 5000, 1'000'000'000}) {
      const torch::Tensor rows = minibatches.rows(step);
      const std::vector<std::size_t> drawn = sampler.samples_of(step);
      ASSERT_EQ(static_cast<std::size_t>(rows.numel()), drawn.size());
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        EXPECT_EQ(rows[static_cast<std::int64_t>(i)].item<std::int64_t>(),
                  static_cast<std::int64_t>(drawn[i]))
            << "seed " << seed << " step " << step << " place " << i;
      }
    }
  }
}

}  // namespace
}  // namespace pair::train::sampler_test
