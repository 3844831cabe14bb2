#include "pair/data/two_bit.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <stdexcept>

namespace pair::data::two_bit::two_bit_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Throws;
using ::testing::ThrowsMessage;

constexpr std::array losses{Loss::square, Loss::logistic};

std::vector<Spec> specs() {
  std::vector<Spec> all;
  for (const Loss loss : losses) {
    all.push_back({loss, 0.1, {0.11, 0.4}});
    all.push_back({loss, 0.25, {0.1, 0.2}});
    all.push_back({loss, 0.7, {0.05, 0.5, 0.9}});
  }
  return all;
}

std::vector<Odd> predictors(std::size_t count) {
  Random random(1, "predictors");
  std::vector<Odd> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = random.uniform(-3, 3);
    all.push_back({u, random.uniform(-3, 3)});
  }
  return all;
}

TEST(TwoBit, AgreesWithAMillionSamples) {
  Random random(7, "simulation");
  const Predictor f{0.9, -0.4, 0.3, -1.2};  // not odd
  for (const Spec& spec : specs()) {
    for (const double beta : spec.betas) {
      double risk_sum = 0.0;
      double derivative_sum = 0.0;
      const auto samples = sample(spec.alpha, beta, 1'000'000, random);
      for (const Sample& one : samples) {
        const double margin = f[(one.x1 == 1 ? 0U : 2U) + (one.x2 == 1 ? 0U : 1U)] * one.y;
        risk_sum += loss_of(spec.loss, margin);
        derivative_sum += margin * slope_of(spec.loss, margin);
      }
      const double simulated = risk_sum / 1e6;
      EXPECT_NEAR(risk(spec.loss, spec.alpha, beta, f), simulated, 0.01 * simulated);
      // A difference of terms of order 1, so 1% of those.
      EXPECT_NEAR(derivative(spec.loss, spec.alpha, beta, f), derivative_sum / 1e6, 0.01);
    }
  }
}

TEST(TwoBit, ObjectivesAgreeWithAMillionSamples) {
  const Odd f{0.9, 0.2};
  for (const Spec& spec : {Spec{Loss::square, 0.1, {0.11, 0.4}}, Spec{Loss::logistic, 0.1, {0.11, 0.4}}}) {
    Random random(8, "simulation");
    std::vector<double> risks;
    double penalty = 0.0;
    for (const double beta : spec.betas) {
      double sum = 0.0;
      double derivative_sum = 0.0;
      for (const Sample& one : sample(spec.alpha, beta, 1'000'000, random)) {
        const double margin = (one.x1 == one.x2 ? f[0] : f[1]) * one.x1 * one.y;
        sum += loss_of(spec.loss, margin);
        derivative_sum += margin * slope_of(spec.loss, margin);
      }
      risks.push_back(sum / 1e6);
      penalty += derivative_sum / 1e6 * derivative_sum / 1e6 / 2;
    }
    const double mean = (risks[0] + risks[1]) / 2;
    const double variance = (risks[0] - risks[1]) * (risks[0] - risks[1]) / 2;
    const Objectives at = objectives(spec, f);
    EXPECT_NEAR(at.erm.value, mean, 0.01 * mean);
    EXPECT_NEAR(at.vrex.value, variance, 0.01 * variance);
    EXPECT_NEAR(at.irmv1.value, penalty, 0.01 * penalty);
  }
}

TEST(TwoBit, GradientsAgreeWithFiniteDifferences) {
  constexpr double step = 1e-5;
  for (const Spec& spec : specs()) {
    using Function = std::function<Valued(const Odd&)>;
    const std::vector<Function> functions{
        [&](const Odd& f) { return objectives(spec, f).erm; },
        [&](const Odd& f) { return objectives(spec, f).irmv1; },
        [&](const Odd& f) { return objectives(spec, f).vrex; },
        [&](const Odd& f) { return risk(spec.loss, spec.alpha, spec.betas[0], f); },
        [&](const Odd& f) { return derivative(spec.loss, spec.alpha, spec.betas[0], f); }};
    for (const Odd& f : predictors(50)) {
      for (const Function& function : functions) {
        const Valued at = function(f);
        for (std::size_t i = 0; i < 2; ++i) {
          Odd above = f;
          Odd below = f;
          above[i] += step;
          below[i] -= step;
          const double difference = (function(above).value - function(below).value) / (2 * step);
          EXPECT_NEAR(at.gradient[i], difference, 1e-6 * (1 + std::abs(difference)));
        }
      }
    }
  }
}

TEST(TwoBit, AnOddPredictorIsAPredictor) {
  for (const Spec& spec : specs()) {
    for (const Odd& f : predictors(20)) {
      const double beta = spec.betas[0];
      EXPECT_NEAR(risk(spec.loss, spec.alpha, beta, f).value,
                  risk(spec.loss, spec.alpha, beta, as_predictor(f)), 1e-14);
      const double d = derivative(spec.loss, spec.alpha, beta, f).value;
      EXPECT_NEAR(d, derivative(spec.loss, spec.alpha, beta, as_predictor(f)), 1e-13);
      EXPECT_NEAR(d,
                  derivative_term(spec.loss, spec.alpha, beta, 0, f[0]) +
                      derivative_term(spec.loss, spec.alpha, beta, 1, f[1]),
                  1e-14);
    }
  }
}

TEST(TwoBit, FIrmSatisfiesEveryConstraint) {
  for (const Spec& spec : specs()) {
    const Objectives at = objectives(spec, f_irm(spec.loss, spec.alpha));
    EXPECT_NEAR(at.irmv1.value, 0.0, 1e-30);
    EXPECT_NEAR(at.vrex.value, 0.0, 1e-30);
  }
  EXPECT_NEAR(f_irm(Loss::square, 0.1)[0], 0.8, 1e-15);
  EXPECT_NEAR(f_irm(Loss::logistic, 0.1)[1], std::log(9.0), 1e-15);
}

TEST(TwoBit, TheOptimumOfTheMeanBetaIsErms) {
  for (const Spec& spec : specs()) {
    const Valued erm = objectives(spec, optimum(spec.loss, spec.alpha, mean_beta(spec))).erm;
    EXPECT_NEAR(erm.gradient[0], 0.0, 1e-15);
    EXPECT_NEAR(erm.gradient[1], 0.0, 1e-15);
    for (const Odd& f : predictors(50)) {
      EXPECT_GE(objectives(spec, f).erm.value, erm.value);
    }
  }
}

TEST(TwoBit, AnOptimumAtBetaOneHalfIsFIrm) {
  for (const Loss loss : losses) {
    const Odd f = optimum(loss, 0.2, 0.5);
    EXPECT_NEAR(f[0], f_irm(loss, 0.2)[0], 1e-15);
    EXPECT_NEAR(f[1], f_irm(loss, 0.2)[1], 1e-15);
  }
}

TEST(TwoBit, LogisticLossIsFiniteHoweverLargeTheMargin) {
  for (const double margin : {-1e6, -800.0, 800.0, 1e6}) {
    EXPECT_DOUBLE_EQ(loss_of(Loss::logistic, margin), std::max(-margin, 0.0));
    EXPECT_DOUBLE_EQ(slope_of(Loss::logistic, margin), margin < 0 ? -1.0 : 0.0);
    EXPECT_DOUBLE_EQ(curvature_of(Loss::logistic, margin), 0.0);
  }
}

TEST(TwoBit, RefusesInvalidEnvironments) {
  const auto says = [](const Spec& spec, const char* sentence) {
    EXPECT_THAT([&] { validate(spec); }, ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  says({Loss::square, 0.0, {0.1, 0.2}}, "alpha: expected a number above 0 and below 1, got 0");
  says({Loss::square, 1.0, {0.1, 0.2}}, "alpha: expected a number above 0 and below 1, got 1");
  says({Loss::square, std::nan(""), {0.1, 0.2}}, "got nan");
  says({Loss::square, 0.1, {0.1, 1.5}}, "beta: expected a number above 0 and below 1, got 1.5");
  says({Loss::square, 0.1, {0.1}}, "betas: expected two or more values, one per environment, got 1");
  says({Loss::square, 0.1, {0.1, 0.3, 0.1}}, "betas: expected distinct values, got 0.1 twice");
  EXPECT_NO_THROW(validate(Spec{}));
}

TEST(TwoBit, LossesHaveNames) {
  for (const Loss loss : losses) {
    EXPECT_EQ(loss_from(to_string(loss)), loss);
  }
  EXPECT_THAT([] { loss_from("logistc"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'logistic'?")));
}

}  // namespace
}  // namespace pair::data::two_bit::two_bit_test
