#include "pair/train/scoring.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pair/models/registry.h"
#include "pair/train/trainer.h"
#include "tests/train/small_data.h"

namespace pair::train::scoring_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Settings scored_settings() {
  Settings settings;
  settings.steps = 5;
  settings.pretrain = 2;
  settings.batch = 16;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  return settings;
}

std::shared_ptr<data::EnvironmentSet> keyed_data() {
  auto set = testing::small_data();
  set->train[0].key = "env0_in";
  set->train[1].key = "env1_in";
  set->held_out.push_back(testing::small_environment(7, 0.5, 50));
  set->held_out[0].key = "val";
  set->held_out[1].key = "test";
  return set;
}

Evaluation scored(const std::shared_ptr<data::EnvironmentSet>& set) {
  Trainer trainer(set, scored_settings(), 3);
  while (!trainer.finished()) {
    trainer.advance();
  }
  return trainer.evaluate();
}

TEST(Scoring, LeavesOutEnvironmentsThatAreNotScored) {
  const Evaluation all = scored(keyed_data());
  ASSERT_EQ(all.scores.size(), 4U);
  auto set = keyed_data();
  set->train[0].scored = false;
  const Evaluation one = scored(set);
  ASSERT_EQ(one.scores.size(), 3U);
  EXPECT_EQ(one.scores[0].key, "env1_in");
  EXPECT_EQ(one.scores[0].value, all.scores[1].value);
  EXPECT_EQ(one.scores[2].value, all.scores[3].value);
  set->train[1].scored = false;
  const Evaluation none = scored(set);
  ASSERT_EQ(none.scores.size(), 2U);
  EXPECT_EQ(none.scores[0].key, "val");
  EXPECT_EQ(none.scores[0].value, all.scores[2].value);
}

TEST(Scoring, HasFurtherScoresOfHeldOutEnvironments) {
  auto set = keyed_data();
  std::vector<std::vector<double>> seen;
  set->more_scores = [&](const data::Environment& environment, std::span<const double> answers) {
    seen.emplace_back(answers.begin(), answers.end());
    double right = 0.0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      right += answers[i] == environment.labels[static_cast<std::int64_t>(i)].item<double>() ? 1.0 : 0.0;
    }
    return std::vector<std::pair<std::string, double>>{
        {environment.key + "_share", right / static_cast<double>(answers.size())}};
  };
  const Evaluation result = scored(set);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[1].size(), 50U);
  EXPECT_THAT(result.more_scores, ElementsAre(Pair("val_share", result.scores[2].value),
                                              Pair("test_share", result.scores[3].value)));
}

}  // namespace
}  // namespace pair::train::scoring_test
