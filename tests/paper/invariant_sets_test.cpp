#include "pair/paper/invariant_sets.h"

#include <gmock/gmock.h>

#include <cmath>

namespace pair::paper::invariant_sets_test {
namespace {

using data::two_bit::derivative;
using data::two_bit::Loss;
using data::two_bit::Odd;
using data::two_bit::Spec;

std::vector<std::string> names(const std::vector<Invariant>& all) {
  std::vector<std::string> result;
  for (const Invariant& one : all) {
    result.push_back(one.name);
  }
  return result;
}

TEST(IrmsInvariants, OfTheFailureCaseAreFour) {
  const auto found = irms_invariants({Loss::square, 0.1, {0.11, 0.4}});
  ASSERT_THAT(names(found), testing::ElementsAre("f_0", "f_IRM", "f_1", "f_2"));
  // Sum 1 / (1 - 2 alpha) = 1.25, sum of squares 1.
  const double apart = std::sqrt(2 - 1.25 * 1.25);
  EXPECT_NEAR(found[2].f[0], (1.25 + apart) / 2, 1e-12);
  EXPECT_NEAR(found[2].f[1], (1.25 - apart) / 2, 1e-12);
  EXPECT_NEAR(found[3].f[0], found[2].f[1], 1e-12);
}

TEST(IrmsInvariants, OfTheOriginalCaseAreThoseOfIrm) {
  EXPECT_THAT(names(irms_invariants({Loss::square, 0.25, {0.1, 0.2}})), testing::ElementsAre("f_0", "f_IRM"));
  EXPECT_THAT(names(irms_invariants({Loss::logistic, 0.25, {0.1, 0.2}})),
              testing::ElementsAre("f_0", "f_IRM"));
}

TEST(IrmsInvariants, UnderTheLogisticLossNeedASmallerAlphaToBeMore) {
  EXPECT_EQ(irms_invariants({Loss::logistic, 0.1, {0.11, 0.4}}).size(), 2U);
  EXPECT_EQ(irms_invariants({Loss::logistic, 0.05, {0.11, 0.4}}).size(), 4U);
}

TEST(IrmsInvariants, DoNotDependOnTheEnvironments) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    const auto reference = irms_invariants({loss, 0.07, {0.2, 0.8}});
    const std::vector<std::vector<double>> others{{0.11, 0.12}, {0.9, 0.3}, {0.01, 0.99}, {0.1, 0.2, 0.3}};
    for (const std::vector<double>& betas : others) {
      const auto found = irms_invariants({loss, 0.07, betas});
      ASSERT_EQ(names(found), names(reference));
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i].f[0], reference[i].f[0], 1e-8);
        EXPECT_NEAR(found[i].f[1], reference[i].f[1], 1e-8);
      }
    }
  }
}

TEST(IrmsInvariants, FallTogetherAtAlphaOneHalf) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    const auto found = irms_invariants({loss, 0.5, {0.1, 0.4}});
    ASSERT_THAT(names(found), testing::ElementsAre("f_0", "f_IRM"));
    EXPECT_NEAR(std::hypot(found[1].f[0], found[1].f[1]), 0.0, 1e-8);
  }
}

TEST(IrmsInvariants, AreFoundForExtremeAlpha) {
  for (const double alpha : {1e-4, 0.999}) {
    const auto found = irms_invariants({Loss::logistic, alpha, {0.2, 0.7}});
    ASSERT_GE(found.size(), 2U);
    EXPECT_NEAR(found[1].f[0], std::log((1 - alpha) / alpha), 1e-8);
  }
}

TEST(IrmsCurve, IsWhereTheDerivativeVanishes) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    for (const double alpha : {0.1, 0.25, 0.8}) {
      for (const double beta : {0.11, 0.5, 0.9}) {
        for (const Odd& f : irms_curve(loss, alpha, beta, 40)) {
          EXPECT_NEAR(derivative(loss, alpha, beta, f).value, 0.0, 1e-13);
        }
      }
    }
  }
}

TEST(RiskSpread, VanishesOnTheDiagonalAndUnderTheSquareLossOnASecondLine) {
  const Spec square{Loss::square, 0.1, {0.11, 0.4}};
  EXPECT_NEAR(risk_spread(square, {0.3, 0.3}), 0.0, 1e-15);
  EXPECT_NEAR(risk_spread(square, {2.0, 0.5}), 0.0, 1e-15) << "u + v = 2 / (1 - 2 alpha)";
  EXPECT_GT(risk_spread(square, {0.9, 0.5}), 0.01);
  EXPECT_GT(risk_spread({Loss::logistic, 0.1, {0.11, 0.4}}, {2.0, 0.5}), 0.01);
}

}  // namespace
}  // namespace pair::paper::invariant_sets_test
