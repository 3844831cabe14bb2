#include "pair/paper/failure.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pair/moo/pareto.h"

namespace pair::paper::failure_test {
namespace {

using data::two_bit::Loss;
using data::two_bit::Spec;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr FailureOptions small{.grid = 9, .curve_points = 24, .front_points = 21};

json named(const json& figure, const std::string& name) {
  for (const json& point : figure["points"]) {
    if (point["name"] == name) {
      return point;
    }
  }
  return {};
}

TEST(Failure, ShowsThatF1HasTheLowerLossAndFIrmTheLowerVariance) {
  const json figure = failure({}, small);
  const json f_1 = named(figure, "f_1");
  const json f_irm = named(figure, "f_IRM");
  EXPECT_LT(f_1["erm"], f_irm["erm"]);
  EXPECT_LT(f_1["irmv1"], 1e-20);
  EXPECT_LT(f_irm["irmv1"], 1e-20);
  EXPECT_GT(f_1["vrex"], 1e-3);
  EXPECT_LT(f_irm["vrex"], 1e-20);
  EXPECT_TRUE(f_irm["zero_variance"]);
  EXPECT_FALSE(f_1["zero_variance"]);
  EXPECT_LT(named(figure, "f_ERM")["erm"], f_1["erm"]);
  EXPECT_THAT(failure_text(figure), HasSubstr("IRM_S and IRMv1 prefer it to f_IRM"));
}

TEST(Failure, DoesNotFailInTheOriginalCase) {
  const json figure = failure({Loss::square, 0.25, {0.1, 0.2}}, small);
  EXPECT_TRUE(named(figure, "f_1").is_null());
  EXPECT_THAT(failure_text(figure),
              HasSubstr("f_IRM has the smallest ERM loss among the predictors that satisfy IRM_S."));
}

TEST(Failure, LeavesFIrmBehindTheParetoFrontAndOnTheZeroVarianceLine) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    const json figure = failure({loss, 0.1, {0.11, 0.4}}, small);
    std::vector<double> front;
    bool dominated = false;
    const std::vector<double> irm = named(figure, "f_IRM")["risks"];
    for (const json& point : figure["pareto"]["front"]) {
      const std::vector<double> risks = point["risks"];
      front.insert(front.end(), risks.begin(), risks.end());
      dominated = dominated || moo::dominates(risks, irm);
    }
    EXPECT_TRUE(dominated);
    EXPECT_EQ(moo::non_dominated(front, 2).size(), small.front_points);
    EXPECT_NEAR(figure["pareto"]["zero_variance"][0][0].get<double>(), irm[0], 1e-12);
    EXPECT_NEAR(figure["pareto"]["zero_variance"][0][1].get<double>(), irm[1], 1e-12);
  }
}

TEST(Failure, HasLandscapesThatAgreeWithTheFormulas) {
  const Spec spec;
  const json figure = failure(spec, small);
  const json& map = figure["landscape"];
  ASSERT_EQ(map["u"].size(), small.grid);
  ASSERT_EQ(map["erm"].size(), small.grid);
  ASSERT_EQ(map["erm"][0].size(), small.grid);
  const auto at = data::two_bit::objectives(spec, {map["u"][2].get<double>(), map["v"][7].get<double>()});
  EXPECT_DOUBLE_EQ(map["erm"][7][2].get<double>(), at.erm.value);
  EXPECT_DOUBLE_EQ(map["irmv1"][7][2].get<double>(), at.irmv1.value);
  EXPECT_DOUBLE_EQ(map["vrex"][7][2].get<double>(), at.vrex.value);
}

TEST(Failure, ShowsEverythingWithinItsWindow) {
  const json figure = failure({}, small);
  const auto inside = [&](const json& f) {
    for (int i = 0; i < 2; ++i) {
      if (f[i] < figure["window"]["low"][i] || f[i] > figure["window"]["high"][i]) {
        return false;
      }
    }
    return true;
  };
  for (const json& point : figure["points"]) {
    EXPECT_TRUE(inside(point["f"])) << point;
  }
  ASSERT_EQ(figure["constraints"].size(), 2U);
  for (const json& constraint : figure["constraints"]) {
    EXPECT_EQ(constraint["curve"].size(), small.curve_points);
    for (const json& f : constraint["curve"]) {
      EXPECT_TRUE(inside(f)) << f;
    }
  }
  for (const json& line : figure["zero_variance"]) {
    EXPECT_TRUE(inside(line[0]) && inside(line[1])) << line;
  }
}

TEST(Failure, RefusesWhatCannotBeDrawn) {
  EXPECT_THAT(
      [] {
        failure({Loss::square, 2.0, {0.1, 0.2}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("alpha: expected a number above 0 and below 1, got 2")));
  EXPECT_THAT(
      [] { failure({}, {.grid = 1}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("grid: expected an integer from 2 to 2000, got 1")));
}

}  // namespace
}  // namespace pair::paper::failure_test
