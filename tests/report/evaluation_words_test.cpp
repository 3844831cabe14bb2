#include "pair/report/evaluation_words.h"

#include <gmock/gmock.h>

#include "tests/report/evaluation.h"

namespace pair::report::evaluation_words_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::table_evaluation;

TEST(EvaluationWords, NameTheWorstEnvironmentAndTheColumnThatTurns) {
  EXPECT_THAT(
      evaluation_words(table_evaluation()),
      ElementsAre(
          "the worst environment is 'St. Mary' (test), where 32.0% of 100 answers are right; the mean of the "
          "others is 79.0%.",
          "its most frequent confusion there: 'yes' taken for 'no', 34 times.",
          "it leans on 'tone' (56.7% of the variation of its outputs in the training environments), which "
          "points the wrong way in 'St. Mary': the correlation of its part with 'outcome' is -0.7 there, and "
          "+0.5 in the training environments."));
}

TEST(EvaluationWords, OfARegressionHaveTheErrorAndItsDirection) {
  runs::Evaluation evaluation = table_evaluation();
  evaluation.regression = true;
  evaluation.columns.reset();
  for (runs::Evaluation::Environment& environment : evaluation.environments) {
    environment.rmse = environment.test ? 9.5 : 3.0;
    environment.bias = environment.test ? 4.25 : 0.0;
    environment.confused.clear();
  }
  EXPECT_THAT(
      evaluation_words(evaluation),
      ElementsAre("the worst environment is 'St. Mary' (test), with a root mean squared error of 9.5 on 100 "
                  "samples, with a mean residual of +4.25; the mean of the others is 3."));
}

TEST(Flip, IsTheColumnThatHelpsInTrainingAndMisleadsElsewhere) {
  const std::optional<Flip> flip = flip_of(table_evaluation());
  ASSERT_TRUE(flip);
  EXPECT_EQ(flip->environment, 3U);
  EXPECT_EQ(flip->column, 0U);
  EXPECT_DOUBLE_EQ(flip->agreement, -0.7);
  EXPECT_NEAR(flip->share, 1.7 / 3, 1e-12);
  EXPECT_NEAR(flip->elsewhere, 0.5, 1e-12);
}

TEST(Flip, IsNotAColumnThatIsNoiseOrUnusedOrWrongEverywhere) {
  runs::Evaluation noise = table_evaluation();
  noise.columns->agreement[3][0] = -0.15;  // two standard errors of 100 samples are 0.2
  EXPECT_FALSE(flip_of(noise));
  noise.environments[3].samples = 1000;
  EXPECT_TRUE(flip_of(noise));
  runs::Evaluation unused = table_evaluation();
  for (std::vector<double>& shares : unused.columns->share) {
    shares = {0.05, 0.95};
  }
  EXPECT_FALSE(flip_of(unused));
  runs::Evaluation wrong = table_evaluation();
  for (std::vector<double>& agreements : wrong.columns->agreement) {
    agreements[0] = -0.7;
  }
  EXPECT_FALSE(flip_of(wrong));
  runs::Evaluation none = table_evaluation();
  none.columns.reset();
  EXPECT_FALSE(flip_of(none));
}

}  // namespace
}  // namespace pair::report::evaluation_words_test
