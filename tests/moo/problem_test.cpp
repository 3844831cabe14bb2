#include "pair/moo/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/moo/problems.h"

namespace pair::moo::problem_test {
namespace {

using testing::Case;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ProblemSource;
using ::testing::ThrowsMessage;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Case plain() {
  return {{1.0, 2.0}, {1.0, 0.5, 0.5, 1.0}, {1.0, 1.0}, {}};
}

std::string refusal(const Case& problem) {
  try {
    validate(problem.view());
  } catch (const InvalidProblem& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Validate, NamesALossItsValueAndWhatIsAccepted) {
  Case problem = plain();
  problem.losses[1] = -0.5;
  EXPECT_EQ(refusal(problem), "losses[1]: expected a finite number that is not negative, got -0.5");
  problem.losses[1] = nan;
  EXPECT_EQ(refusal(problem), "losses[1]: expected a finite number that is not negative, got nan");
  problem.losses[1] = infinity;
  EXPECT_EQ(refusal(problem), "losses[1]: expected a finite number that is not negative, got inf");
  problem.losses = {0.0, 0.0};
  EXPECT_EQ(refusal(problem), "losses: expected at least one above 0, got only zeros");
}

TEST(Validate, NamesTheNumberOfObjectivesAccepted) {
  EXPECT_EQ(refusal({{}, {}, {}, {}}), "losses: expected 2 to 64 values, one per objective, got 0");
  EXPECT_EQ(refusal({{1.0}, {1.0}, {1.0}, {}}), "losses: expected 2 to 64 values, one per objective, got 1");
  const std::vector<double> many(65, 1.0);
  EXPECT_EQ(refusal({many, std::vector<double>(std::size_t{65} * 65, 1.0), many, {}}),
            "losses: expected 2 to 64 values, one per objective, got 65");
}

TEST(Validate, NamesAPreferenceItsValueAndWhatIsAccepted) {
  Case problem = plain();
  for (const auto& [value, shown] : {std::pair{0.0, "0"}, {-1.0, "-1"}, {nan, "nan"}, {infinity, "inf"}}) {
    problem.preference[0] = value;
    EXPECT_EQ(refusal(problem),
              "preference[0]: expected a finite positive number, got " + std::string(shown));
  }
  problem.preference = {1.0, 1.0, 1.0};
  EXPECT_EQ(refusal(problem), "preference: expected 2 values, one per objective, got 3");
  problem.preference = {1e-30, 1e30};
  EXPECT_EQ(refusal(problem),
            "preference: expected values that differ by a factor of at most 1e50, got 1e-30 to 1e+30");
}

TEST(Validate, NamesAGramEntryItsValueAndWhatIsAccepted) {
  Case problem = plain();
  problem.gram = {1.0, 0.5, 0.5};
  EXPECT_EQ(refusal(problem), "gram: expected 2 x 2 values, got 3");
  problem.gram = {1.0, nan, 0.5, 1.0};
  EXPECT_EQ(refusal(problem), "gram[0][1]: expected a finite number, got nan");
  problem.gram = {1.0, 0.5, 0.5, -2.0};
  EXPECT_EQ(refusal(problem), "gram[1][1]: expected a squared norm, not negative, got -2");
  problem.gram = {1.0, 0.5, 0.4, 1.0};
  EXPECT_EQ(refusal(problem), "gram: expected a symmetric matrix, got gram[1][0] = 0.4 and gram[0][1] = 0.5");
  problem.gram = {1.0, 3.0, 3.0, 4.0};
  EXPECT_EQ(refusal(problem),
            "gram: expected a positive semidefinite matrix, got gram[1][0] = 3, beyond the product of the "
            "norms 2 and 1");
  problem.gram = {1e-210, 0.0, 0.0, 1.0};
  EXPECT_EQ(refusal(problem), "gram[0][0]: expected a squared norm of 0 or in [1e-200, 1e200], got 1e-210");
  problem.gram = {0x1p-200, 0.0, 0.0, 0x1p200};  // norms that a root gives exactly
  EXPECT_THAT(refusal(problem),
              ::testing::HasSubstr("whose norms differ by a factor of at most 1e50 or are 0"));
}

TEST(Validate, SeesANegativeEigenvalueThatNoPairOfGradientsShows) {
  // Three unit vectors cannot all be at 120 degrees and more.
  const double c = -0.6;
  EXPECT_EQ(refusal({{1, 1, 1}, {1, c, c, c, 1, c, c, c, 1}, {1, 1, 1}, {}}),
            "gram: expected a positive semidefinite matrix, got one with a negative eigenvalue");
  EXPECT_EQ(refusal({{1, 1, 1}, {1, -0.5, -0.5, -0.5, 1, -0.5, -0.5, -0.5, 1}, {1, 1, 1}, {}}), "accepted");
  // The same with norms 1e20 apart, where the entries alone look harmless.
  EXPECT_EQ(
      refusal({{1, 1, 1}, {1e40, c * 1e20, c, c * 1e20, 1, c * 1e-20, c, c * 1e-20, 1e-40}, {1, 1, 1}, {}}),
      refusal({{1, 1, 1}, {1, c, c, c, 1, c, c, c, 1}, {1, 1, 1}, {}}));
}

TEST(Validate, NamesWhatIsWrongWithTheLastStepsWeights) {
  Case problem = plain();
  problem.previous = {1.0};
  EXPECT_EQ(refusal(problem), "previous: expected 2 values, one per objective, got 1");
  problem.previous = {-0.5, 1.5};
  EXPECT_EQ(refusal(problem), "previous[0]: expected a weight in [0, 1], got -0.5");
  problem.previous = {0.5, nan};
  EXPECT_EQ(refusal(problem), "previous[1]: expected a weight in [0, 1], got nan");
  problem.previous = {0.5, 0.25};
  EXPECT_EQ(refusal(problem), "previous: expected weights that sum to 1, got the sum 0.75");
}

TEST(Validate, AcceptsWhatTrainingMeets) {
  // Preferences 1e16 apart, gradients 1e12 apart, single precision, losses of zero, vanished gradients.
  ProblemSource source(71, {12, 12, 16, 0.2});
  for (int k = 0; k < 200; ++k) {
    Case problem = source.draw(2 + static_cast<std::size_t>(k % 10));
    for (double& value : problem.gram) {
      value = static_cast<double>(static_cast<float>(value));
    }
    problem.losses[0] = k % 5 == 0 ? 0.0 : problem.losses[0];
    EXPECT_EQ(refusal(problem), "accepted");
  }
  EXPECT_EQ(refusal({{1, 0}, {0, 0, 0, 0}, {1, 1}, {1, 0}}), "accepted");
}

TEST(GramOf, HoldsTheInnerProductsOfRows) {
  EXPECT_THAT(gram_of(std::vector<double>{1, 2, 3, 4, 5, 6}, 2), ElementsAre(14, 32, 32, 77));
  EXPECT_THAT(
      [] {
        (void)gram_of(std::vector<double>{1, 2, 3}, 2);
      },
      ThrowsMessage<InvalidProblem>(
          HasSubstr("gradients: expected 2 rows of the same length, got 3 values")));
  EXPECT_THAT([] { (void)gram_of(std::vector<double>{1}, 0); },
              ThrowsMessage<InvalidProblem>(HasSubstr("expected 0 rows")));
}

TEST(GramOf, RefusesNumbersWhoseProductsAreOutOfRange) {
  const auto refusal = [](double value) -> std::string {
    try {
      (void)gram_of(std::vector<double>{1, 0, 0, value}, 2);
      return "accepted";
    } catch (const InvalidProblem& invalid) {
      return invalid.what();
    }
  };
  for (const double tiny : {1e-101, 1e-170, 5e-324}) {
    EXPECT_THAT(refusal(tiny), HasSubstr("gradients[1]: expected a norm of 0 or in [1e-100, 1e100]")) << tiny;
  }
  EXPECT_THAT(refusal(1e200), HasSubstr("gradients[1] and gradients[1]: their inner product is beyond"));
  EXPECT_THAT(refusal(std::numeric_limits<double>::quiet_NaN()),
              HasSubstr("gradients[1]: expected finite numbers, got nan"));
  EXPECT_THAT(refusal(std::numeric_limits<double>::infinity()),
              HasSubstr("expected finite numbers, got inf"));
  EXPECT_THAT(
      [] {
        (void)gram_of(std::vector<double>{1e150, -1e150, 1e200, 1e200}, 2);
      },
      ThrowsMessage<InvalidProblem>(
          HasSubstr("gradients[1] and gradients[0]: their inner product is beyond")));
  for (const double good : {0.0, 1e-99, 1e100}) {
    EXPECT_EQ(refusal(good), "accepted") << good;
  }
}

TEST(PhaseAndStatus, HaveTheNamesThatRecordsUse) {
  EXPECT_EQ(to_string(Phase::balance), "balance");
  EXPECT_EQ(to_string(Phase::descent), "descent");
  EXPECT_EQ(to_string(Status::optimal), "optimal");
  EXPECT_EQ(to_string(Status::infeasible), "infeasible");
}

}  // namespace
}  // namespace pair::moo::problem_test
