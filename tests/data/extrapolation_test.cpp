#include "pair/data/extrapolation.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pair/data/registry.h"

namespace pair::data::extrapolation_test {
namespace {

using Sampling = ExtrapolationSpec::Sampling;

TEST(Extrapolation, LabelsAreASineOfTheFirstInputAlone) {
  for (const Sampling sampling : {Sampling::uniform, Sampling::gaussian}) {
    for (const double frequency : {1.0, 2.0}) {
      const EnvironmentSet set =
          extrapolation({.sampling = sampling, .points = 200, .frequency = frequency}, 3);
      EXPECT_EQ(set.loss, TaskLoss::squared_error);
      for (const auto* environments : {&set.train, &set.held_out}) {
        for (const Environment& environment : *environments) {
          const torch::Tensor expected = (frequency * environment.inputs.select(1, 0)).sin() + 1;
          EXPECT_TRUE(torch::allclose(environment.labels, expected, 1e-5, 1e-5)) << environment.key;
        }
      }
    }
  }
}

TEST(Extrapolation, UniformEnvironmentsFillTheirRectangles) {
  const EnvironmentSet set = extrapolation({.points = 20'000}, 0);
  const auto expect_range = [](const torch::Tensor& values, double low, double high) {
    EXPECT_NEAR(values.min().item<double>(), low, 0.01);
    EXPECT_NEAR(values.max().item<double>(), high, 0.01);
    EXPECT_NEAR(values.mean().item<double>(), (low + high) / 2, 0.05);
  };
  expect_range(set.train[0].inputs.select(1, 0), -3, 1);
  expect_range(set.train[0].inputs.select(1, 1), -3, -2);
  expect_range(set.train[1].inputs.select(1, 0), -1, 3);
  expect_range(set.train[1].inputs.select(1, 1), 2, 3);
}

TEST(Extrapolation, GaussianEnvironmentsHaveTheirMomentsOfThePaper) {
  const EnvironmentSet set = extrapolation({.sampling = Sampling::gaussian, .points = 200'000}, 0);
  const auto expect_moments = [](const torch::Tensor& points, double x, double y, double a, double b,
                                 double c) {
    const torch::Tensor mean = points.mean(0);
    EXPECT_NEAR(mean[0].item<double>(), x, 0.01);
    EXPECT_NEAR(mean[1].item<double>(), y, 0.01);
    const torch::Tensor centred = (points - mean).to(torch::kDouble);
    const torch::Tensor covariance = centred.t().mm(centred) / points.size(0);
    EXPECT_NEAR(covariance[0][0].item<double>(), a, 0.02);
    EXPECT_NEAR(covariance[0][1].item<double>(), b, 0.01);
    EXPECT_NEAR(covariance[1][1].item<double>(), c, 0.01);
  };
  expect_moments(set.train[0].inputs, -0.9, -2.2, 0.9, 0.11, 0.1);
  expect_moments(set.train[1].inputs, 1, 2, 1, -0.3, 0.1);
}

TEST(Extrapolation, HoldsOutTwoDrawsFromTheWholeSquare) {
  const EnvironmentSet set = extrapolation({.test_points = 5'000}, 0);
  ASSERT_EQ(set.held_out.size(), 2U);
  EXPECT_EQ(set.held_out[0].key, "env2_in");
  EXPECT_EQ(set.held_out[1].key, "env2_out");
  EXPECT_FALSE(set.held_out[0].test);
  EXPECT_TRUE(set.held_out[1].test);
  EXPECT_EQ(entry_of("extrapolation-uniform").test_part, "_out");
  EXPECT_FALSE(torch::equal(set.held_out[0].inputs, set.held_out[1].inputs));
  for (const Environment& environment : set.held_out) {
    EXPECT_NEAR(environment.inputs.min().item<double>(), -4, 0.05);
    EXPECT_NEAR(environment.inputs.max().item<double>(), 4, 0.05);
  }
}

TEST(Extrapolation, MorePointsAreTheFewerOnesAndSomeMore) {
  const EnvironmentSet few = extrapolation({.points = 10}, 1);
  const EnvironmentSet many = extrapolation({.points = 30}, 1);
  EXPECT_TRUE(torch::equal(few.train[1].inputs, many.train[1].inputs.narrow(0, 0, 10)));
  EXPECT_FALSE(torch::equal(few.train[1].inputs, extrapolation({.points = 10}, 2).train[1].inputs));
}

TEST(Extrapolation, RefusesInvalidSpecs) {
  EXPECT_THAT([] { extrapolation({.points = 0}, 0); },
              ::testing::ThrowsMessage<std::invalid_argument>(
                  ::testing::HasSubstr("points: expected an integer from 1 to 10000000, got '0'")));
  EXPECT_THAT([] { extrapolation({.frequency = NAN}, 0); },
              ::testing::ThrowsMessage<std::invalid_argument>(
                  ::testing::HasSubstr("frequency: expected a number from 0 to 100")));
}

}  // namespace
}  // namespace pair::data::extrapolation_test
