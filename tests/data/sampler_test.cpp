#include "pair/data/sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

namespace pair::data::testing::sampler_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Environments of these sizes, whose samples are numbered one after another.
std::vector<std::vector<std::size_t>> numbered(const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<std::size_t>> samples;
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    std::vector<std::size_t>& list = samples.emplace_back();
    while (list.size() < size) {
      list.push_back(next++);
    }
  }
  return samples;
}

TEST(Sampler, DrawsABatchFromEachEnvironment) {
  const Sampler sampler(numbered({10, 3, 100}), {.seed = 7, .batch = 16});
  EXPECT_EQ(sampler.places(), 48U);
  for (const std::int64_t step : {0, 1, 1000, 1'000'000}) {
    EXPECT_THAT(sampler.environments_of(step), ElementsAre(0, 1, 2));
    const std::vector<std::size_t> drawn = sampler.samples_of(step);
    ASSERT_EQ(drawn.size(), 48U);
    for (std::size_t place = 0; place < 48; ++place) {
      const std::size_t expected = place / 16;
      EXPECT_EQ(drawn[place] < 10 ? 0U : drawn[place] < 13 ? 1U : 2U, expected);
    }
  }
}

TEST(Sampler, IsAFunctionOfSeedAndStep) {
  const Sampler sampler(numbered({1000, 1000}), {.seed = 7, .batch = 8});
  const Sampler again(numbered({1000, 1000}), {.seed = 7, .batch = 8});
  const Sampler other(numbered({1000, 1000}), {.seed = 8, .batch = 8});
  std::set<std::vector<std::size_t>> seen;
  for (std::int64_t step = 50; step >= 0; --step) {
    EXPECT_EQ(sampler.samples_of(step), again.samples_of(step));
    seen.insert(sampler.samples_of(step));
  }
  EXPECT_EQ(seen.size(), 51U);
  EXPECT_NE(sampler.samples_of(0), other.samples_of(0));
}

TEST(Sampler, DrawsSomeEnvironmentsWithoutReplacementAndFairly) {
  const Sampler sampler(numbered({5, 6, 7, 8, 9}), {.seed = 3, .batch = 2, .environments_per_step = 2});
  EXPECT_EQ(sampler.places(), 4U);
  std::map<std::vector<std::size_t>, int> counts;
  constexpr int steps = 10'000;
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::vector<std::size_t> environments = sampler.environments_of(step);
    ASSERT_EQ(environments.size(), 2U);
    ASSERT_LT(environments[0], environments[1]);
    ++counts[environments];
    const std::vector<std::size_t> drawn = sampler.samples_of(step);
    const std::vector<std::vector<std::size_t>> all = numbered({5, 6, 7, 8, 9});
    for (std::size_t place = 0; place < 4; ++place) {
      EXPECT_TRUE(std::ranges::count(all[environments[place / 2]], drawn[place]) == 1);
    }
  }
  ASSERT_EQ(counts.size(), 10U);
  for (const auto& [environments, count] : counts) {
    // A tenth each: within five standard deviations of 30.
    EXPECT_NEAR(count, steps / 10.0, 150);
  }
}

TEST(Sampler, ReplacesASampleByOthersOfItsEnvironment) {
  const Sampler sampler(numbered({50, 50, 50}), {.seed = 1, .batch = 4, .environments_per_step = 2});
  for (std::int64_t step = 0; step < 20; ++step) {
    const std::vector<std::size_t> environments = sampler.environments_of(step);
    for (std::size_t place = 0; place < sampler.places(); ++place) {
      std::set<std::size_t> drawn;
      for (std::uint64_t attempt = 1; attempt <= 20; ++attempt) {
        const std::size_t sample = sampler.replacement(step, place, attempt);
        EXPECT_EQ(sample / 50, environments[place / 4]);
        EXPECT_EQ(sample, sampler.replacement(step, place, attempt));
        drawn.insert(sample);
      }
      EXPECT_GT(drawn.size(), 8U) << "attempts differ";
    }
  }
}

TEST(Sampler, OfPartsGivesTogetherTheBatchOfOne) {
  for (const std::int64_t parts : {2, 3, 4}) {
    const SamplerOptions options{.seed = 9, .batch = 7, .environments_per_step = 2};
    const Sampler whole(numbered({50, 60, 70}), options);
    for (std::int64_t step = 0; step < 20; ++step) {
      std::vector<std::vector<std::size_t>> drawn(2);
      std::vector<std::vector<std::size_t>> replaced(2);
      std::vector<std::vector<std::uint64_t>> counters(2);
      for (std::int64_t part = 0; part < parts; ++part) {
        SamplerOptions of_part = options;
        of_part.share = {part, parts};
        const Sampler sampler(numbered({50, 60, 70}), of_part);
        const std::vector<std::size_t> samples = sampler.samples_of(step);
        ASSERT_EQ(samples.size(), sampler.places());
        for (std::size_t place = 0; place < samples.size(); ++place) {
          const std::size_t environment = place / (samples.size() / 2);
          drawn[environment].push_back(samples[place]);
          replaced[environment].push_back(sampler.replacement(step, place, 1));
          counters[environment].push_back(sampler.counter(step, place));
        }
      }
      drawn[0].insert(drawn[0].end(), drawn[1].begin(), drawn[1].end());
      replaced[0].insert(replaced[0].end(), replaced[1].begin(), replaced[1].end());
      counters[0].insert(counters[0].end(), counters[1].begin(), counters[1].end());
      EXPECT_EQ(drawn[0], whole.samples_of(step));
      for (std::size_t place = 0; place < whole.places(); ++place) {
        EXPECT_EQ(replaced[0][place], whole.replacement(step, place, 1));
        EXPECT_EQ(counters[0][place], whole.counter(step, place));
      }
    }
  }
}

TEST(Sampler, RefusesMorePartsThanSamples) {
  EXPECT_THAT(
      [] {
        Sampler(numbered({10}), {.batch = 2, .share = {0, 3}});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("batch: expected at least 3, one sample per environment for each process, got 2")));
}

TEST(Sampler, RefusesWhatIsOutOfRange) {
  const auto refused = [](const std::vector<std::size_t>& sizes, const SamplerOptions& options,
                          const std::string& sentence) {
    EXPECT_THAT([&] { Sampler(numbered(sizes), options); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refused({}, {}, "expected at least one environment");
  refused({3, 0}, {}, "samples of an environment: expected 1 to below 2^31, got 0");
  refused({3}, {.batch = 0}, "batch: expected an integer from 1 to 1000000, got 0");
  refused({3}, {.batch = 1'000'001}, "got 1000001");
  refused({3, 3}, {.environments_per_step = 3},
          "environments_per_step: expected 1 to 2, or 0 for all, got 3");
  refused({3, 3}, {.environments_per_step = -1}, "got -1");
}

}  // namespace
}  // namespace pair::data::testing::sampler_test
