#include "pair/paper/two_bit_descent.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pair/paper/invariant_sets.h"

namespace pair::paper::two_bit_descent_test {
namespace {

using data::two_bit::Loss;
using data::two_bit::objectives;
using data::two_bit::Odd;
using data::two_bit::Spec;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

json method(const json& one, const std::string& name) {
  for (const json& entry : one["methods"]) {
    if (entry["method"] == name) {
      return entry;
    }
  }
  return {};
}

TEST(TwoBitDescent, SquareLossLeadsPairOToFIrmAndIrmv1ToF1) {
  TwoBitOptions options;
  options.losses = {Loss::square};
  const json result = two_bit(options);
  ASSERT_EQ(result["cases"].size(), 2U);
  for (const json& one : result["cases"]) {
    EXPECT_GE(method(one, "pair_epo")["ends"]["f_IRM"], 95);
    EXPECT_GE(method(one, "pair_epo_worst")["ends"]["f_IRM"], 95);
    EXPECT_EQ(method(one, "pair_epo")["predictors"].size(), 100U);
  }
  EXPECT_LT(method(result["cases"][0], "irmv1")["ends"]["f_IRM"], 50);
  EXPECT_GE(method(result["cases"][0], "irmv1")["ends"]["f_1"], 95);
  EXPECT_GE(method(result["cases"][1], "irmv1")["ends"]["f_IRM"], 95);
}

TEST(TwoBitDescent, LogisticLossStopsPlainEpoHalfwayAndNotEpoWorst) {
  TwoBitOptions options;
  options.losses = {Loss::logistic};
  options.starts = 10;
  const json result = two_bit(options);
  for (const json& one : result["cases"]) {
    EXPECT_EQ(method(one, "pair_epo_worst")["ends"]["f_IRM"], 10);
  }
  EXPECT_LT(method(result["cases"][0], "pair_epo")["ends"]["f_IRM"], 5);
}

TEST(TwoBitDescent, TrainingsOwnStepGetsThereToo) {
  TwoBitOptions options;
  options.starts = 4;
  options.pair.step = PairStep::guarded;
  const json found = two_bit(options);
  for (const json& one : found["cases"]) {
    EXPECT_EQ(method(one, "pair_epo_worst")["ends"]["f_IRM"], 4) << one["case"] << one["loss"];
  }
}

TEST(TwoBitDescent, CountsEveryStartOnce) {
  TwoBitOptions options;
  options.starts = 7;
  options.pretrain = 0;
  options.cases = {"failure"};
  options.losses = {Loss::square};
  const json result = two_bit(options);
  EXPECT_EQ(result, two_bit(options)) << "the same seed gives the same runs";
  for (const json& entry : result["cases"][0]["methods"]) {
    int sum = 0;
    for (const json& count : entry["ends"]) {
      sum += count.get<int>();
    }
    EXPECT_EQ(sum, 7);
  }
}

TEST(DescendLinear, EndsWhereTheGradientVanishes) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    const Spec spec{loss, 0.1, {0.11, 0.4}};
    for (const Penalty penalty : {Penalty::irmv1, Penalty::vrex}) {
      for (const double weight : {0.0, 1.0, 1e4}) {
        const Odd f = descend_linear(spec, penalty, weight, {1.5, -1});
        const auto at = objectives(spec, f);
        const Odd& term = (penalty == Penalty::irmv1 ? at.irmv1 : at.vrex).gradient;
        EXPECT_NEAR(at.erm.gradient[0] + weight * term[0], 0.0, 1e-6);
        EXPECT_NEAR(at.erm.gradient[1] + weight * term[1], 0.0, 1e-6);
      }
    }
  }
}

TEST(Pretrained, GoesToTheErmOptimum) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    const Spec spec{loss, 0.25, {0.1, 0.2}};
    const Odd optimum = data::two_bit::optimum(loss, 0.25, 0.15);
    const Odd f = pretrained(spec, {-1, 2}, 2000);
    EXPECT_NEAR(f[0], optimum[0], 1e-6);
    EXPECT_NEAR(f[1], optimum[1], 1e-6);
    EXPECT_EQ(pretrained(spec, {-1, 2}, 0), (Odd{-1, 2}));
  }
}

TEST(TwoBitDescent, RefusesInvalidOptions) {
  const auto says = [](const TwoBitOptions& options, const char* sentence) {
    EXPECT_THAT([&] { two_bit(options); }, ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  TwoBitOptions options;
  options.cases = {"failur"};
  says(options, "unknown case 'failur'; did you mean 'failure'?");
  options = {};
  options.starts = 0;
  says(options, "starts: expected 1 to 100000, got 0");
  options = {};
  options.pair.preference = {1, 2};
  says(options, "preference: expected three values, for ERM, IRMv1 and V-REx, got 2");
  options.pair.preference = {1, 2, 0};
  says(options, "preference: expected positive values, got 0");
  options = {};
  options.pair.learning_rate = -1;
  says(options, "learning_rate: expected a positive number, got -1");
  EXPECT_THAT([] { pair_step_from("guard"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'guarded'?")));
}

}  // namespace
}  // namespace pair::paper::two_bit_descent_test
