#include <gmock/gmock.h>

#include <span>

#include "pair/data/random.h"
#include "pair/select/domainbed.h"
#include "pair/select/pair_s.h"
#include "tests/select/fixtures.h"

// Changes that must not affect a choice, on many random histories.

namespace pair::select::pair_s_properties_test {
namespace {

constexpr int histories = 200;

History random_history(data::Random& random) {
  History history;
  const auto runs = 2 + random.below(12);
  for (std::uint64_t n = 0; n < runs; ++n) {
    std::vector<testing::Logged> records;
    for (int step = 0; step < 8; ++step) {
      const auto accuracy = [&random] { return 0.01 * static_cast<double>(random.below(100)); };
      records.push_back({std::int64_t{100} * step,
                         {accuracy(), accuracy(), accuracy()},
                         {accuracy(), accuracy(), accuracy()},
                         {{"nll", random.uniform(0.1, 1)}, {"penalty", random.uniform(1e-4, 1e-2)}}});
    }
    history.push_back(testing::make_run("run" + std::to_string(n), {static_cast<int>(random.below(3))},
                                        static_cast<std::int64_t>(n), records));
    history.back().trial_seed = static_cast<std::int64_t>(random.below(2));
  }
  return history;
}

// "run3@500" for every decision.
std::vector<std::string> choices(const Selection& selection) {
  std::vector<std::string> all;
  for (const Decision& decision : selection.decisions) {
    const Candidate& chosen = decision.chosen();
    all.push_back(chosen.run->name + "@" + std::to_string(chosen.run->steps[chosen.record]));
  }
  return all;
}

std::vector<double> scores(const Selection& selection) {
  std::vector<double> all;
  for (const Decision& decision : selection.decisions) {
    for (const Candidate& candidate : decision.candidates) {
      all.push_back(candidate.score);
    }
  }
  return all;
}

class Choices : public ::testing::Test {
 protected:
  data::Random random{7, "selection"};
};

TEST_F(Choices, DoNotChangeWithTheOrderOfRuns) {
  for (int n = 0; n < histories; ++n) {
    const History history = random_history(random);
    History shuffled = history;
    random.shuffle(std::span(shuffled));
    for (const Validation validation : {Validation::train_domain, Validation::test_domain}) {
      PairOptions options;
      options.validation = validation;
      EXPECT_EQ(choices(pair_s(shuffled, options)), choices(pair_s(history, options)));
      EXPECT_EQ(scores(pair_s(shuffled, options)), scores(pair_s(history, options)));
    }
    for (const auto criterion : {train_domain, leave_one_out, oracle}) {
      EXPECT_EQ(choices(criterion(shuffled)), choices(criterion(history)));
    }
  }
}

TEST_F(Choices, DoNotChangeWithTheScaleOfThePreference) {
  for (int n = 0; n < histories; ++n) {
    const History history = random_history(random);
    PairOptions options;
    options.preference = {1.0, random.uniform(1, 1000)};
    const Selection expected = pair_s(history, options);
    for (const double scale : {1e-200, 1e-3, 0.7, 3.0, 1e12, 1e300}) {
      PairOptions scaled = options;
      for (double& p : scaled.preference) {
        p *= scale;
      }
      const Selection selection = pair_s(history, scaled);
      EXPECT_EQ(choices(selection), choices(expected));
      EXPECT_THAT(scores(selection), ::testing::Pointwise(::testing::DoubleNear(1e-14), scores(expected)));
    }
  }
}

// A run between the worst and the bar does not move the bar; one that is worse than the worst lowers it, so
// that Algorithm 2 may then choose another.
TEST_F(Choices, DoNotChangeWithMoreRunsBelowTheBar) {
  int added = 0;
  for (int n = 0; n < histories; ++n) {
    const History history = random_history(random);
    History larger = history;
    PairOptions options;
    options.preference = {1.0, 50.0};
    const Selection before = pair_s(history, options);
    const std::vector<std::string> expected = choices(before);
    for (const Decision& decision : before.decisions) {
      const Candidate& worst = *std::min_element(
          decision.candidates.begin(), decision.candidates.end(),
          [](const Candidate& a, const Candidate& b) { return a.validation < b.validation; });
      if (worst.above_bar) {
        continue;
      }
      // As bad as the worst, with losses that nothing beats.
      select::Run extra = *worst.run;
      extra.name = "extra" + std::to_string(added++);
      extra.hparams_seed = 1000 + added;
      for (Column& column : extra.columns) {
        for (double& value : column.values) {
          value = column.key.ends_with("_acc") ? column.values[worst.record] : 1e-9;
        }
      }
      larger.push_back(std::move(extra));
    }
    EXPECT_EQ(choices(pair_s(larger, options)), expected);
  }
  EXPECT_GT(added, histories);
}

}  // namespace
}  // namespace pair::select::pair_s_properties_test
