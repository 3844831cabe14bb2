#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pair/moo/registry.h"
#include "tests/moo/problems.h"

namespace pair::moo::chebyshev_smooth_test {
namespace {

using testing::Case;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Case three(std::vector<double> losses, std::vector<double> preference) {
  return {std::move(losses), {1, 0, 0, 0, 1, 0, 0, 0, 1}, std::move(preference), {}};
}

std::unique_ptr<Solver> smooth_with(const char* sharpness, const char* least) {
  return make_solver("chebyshev_smooth",
                     options_of("chebyshev_smooth", {{"sharpness", sharpness}, {"least", least}}));
}

TEST(ChebyshevSmooth, WeighsByThePreferenceAndAPowerOfTheLosses) {
  const Case problem = three({1.0, 16.0, 81.0}, {1.0, 1.0, 1.0});
  EXPECT_THAT(
      make_solver("chebyshev_smooth")->weigh(problem.view()).weights,
      ElementsAre(DoubleNear(1.0 / 6, 1e-12), DoubleNear(2.0 / 6, 1e-12), DoubleNear(3.0 / 6, 1e-12)));
  const Case preferred = three({1.0, 1.0, 1.0}, {1.0, 16.0, 81.0});
  const double sum = 1.0 + 32.0 + 243.0;  // p^(5/4)
  EXPECT_THAT(
      make_solver("chebyshev_smooth")->weigh(preferred.view()).weights,
      ElementsAre(DoubleNear(1 / sum, 1e-12), DoubleNear(32 / sum, 1e-12), DoubleNear(243 / sum, 1e-12)));
}

TEST(ChebyshevSmooth, LiesBetweenLinearAndChebyshev) {
  const Case problem = three({0.5, 0.3, 0.2}, {1.0, 2.0, 4.0});
  const std::vector<double> linear = make_solver("linear")->weigh(problem.view()).weights;
  const std::vector<double> sharpest = make_solver("chebyshev")->weigh(problem.view()).weights;
  const std::vector<double> flat = smooth_with("0", "0")->weigh(problem.view()).weights;
  const std::vector<double> sharp = smooth_with("100", "0")->weigh(problem.view()).weights;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(flat[i], linear[i], 1e-12);
    EXPECT_NEAR(sharp[i], sharpest[i], 1e-9);
  }
}

TEST(ChebyshevSmooth, LeavesNoObjectiveOut) {
  // Where PAIR-o ends on ColoredMNIST: on the ray between IRMv1 and V-REx, and far from it for ERM.
  const Case problem = three({0.54, 1.07e-3, 1.07e-5}, {1.0, 1e10, 1e12});
  const Solution solution = make_solver("chebyshev_smooth")->weigh(problem.view());
  EXPECT_NEAR(solution.weights[0], 1e-4, 1e-7);
  EXPECT_NEAR(solution.weights[1], 1.0 / 101, 1e-5);
  EXPECT_NEAR(solution.weights[2], 100.0 / 101, 2e-4);
  EXPECT_NEAR(solution.objective, 0.5, 1e-6);
  EXPECT_LT(smooth_with("0.25", "0")->weigh(problem.view()).weights[0], 1e-12);
}

TEST(ChebyshevSmooth, HardlyMovesWhenALossIsWrongByAFactorOfTwo) {
  Case problem = three({0.5, 1e-3, 1e-5}, {1.0, 1e10, 1e12});
  const std::vector<double> before = make_solver("chebyshev_smooth")->weigh(problem.view()).weights;
  problem.losses[1] *= 2;
  const std::vector<double> after = make_solver("chebyshev_smooth")->weigh(problem.view()).weights;
  EXPECT_NEAR(after[1] / before[1], std::pow(2.0, 0.25), 0.01);
  EXPECT_NEAR(after[2] / before[2], 1.0, 0.01);
}

TEST(ChebyshevSmooth, TakesALossOfZero) {
  const Case problem = three({0.5, 0.0, 1e-5}, {1.0, 1e10, 1e12});
  EXPECT_THAT(make_solver("chebyshev_smooth")->weigh(problem.view()).weights,
              ::testing::Each(::testing::Ge(0.9e-4)));
}

TEST(ChebyshevSmooth, RefusesOptionsOutOfRange) {
  for (const char* sharpness : {"-0.1", "101", "nan"}) {
    EXPECT_THAT(
        [=] { (void)smooth_with(sharpness, "0"); },
        ThrowsMessage<std::invalid_argument>(HasSubstr("sharpness: expected a number from 0 to 100")));
  }
  EXPECT_THAT([] { (void)smooth_with("0.25", "0.5"); },
              ThrowsMessage<std::invalid_argument>("least: expected a number from 0 to 0.01, got '0.5'"));
}

}  // namespace
}  // namespace pair::moo::chebyshev_smooth_test
