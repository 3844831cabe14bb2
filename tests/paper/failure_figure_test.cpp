#include "pair/paper/failure_figure.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pair/paper/failure.h"
#include "pair/plot/svg.h"

namespace pair::paper::failure_figure_test {
namespace {

using data::two_bit::Loss;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const FailureOptions coarse{.grid = 41, .curve_points = 60, .front_points = 11};

template <class Kind>
std::vector<Kind> marks(const plot::Panel& panel) {
  std::vector<Kind> found;
  for (const plot::Mark& mark : std::get<plot::Chart>(panel).marks) {
    if (const Kind* one = std::get_if<Kind>(&mark)) {
      found.push_back(*one);
    }
  }
  return found;
}

std::vector<std::string> labels(const plot::Panel& panel) {
  std::vector<std::string> names;
  for (const plot::Label& label : marks<plot::Label>(panel)) {
    names.push_back(label.text + "_" + label.subscript);
  }
  return names;
}

TEST(FailureFigure, NamesEveryIntersectionInEveryPanel) {
  const plot::Figure figure = failure_figure(failure({}, coarse));
  ASSERT_THAT(figure.panels, SizeIs(3));
  for (const plot::Panel& panel : figure.panels) {
    EXPECT_THAT(labels(panel), ElementsAre("f_0", "f_IRM", "f_1", "f_2", "f_ERM"));
  }
  EXPECT_THAT(figure.title, HasSubstr("square loss, α = 0.1, β = 0.11, 0.4"));
}

TEST(FailureFigure, PutsTheIntersectionsOnAllCurves) {
  const plot::Figure figure = failure_figure(failure({}, {.grid = 41, .curve_points = 4000}));
  const auto curves = marks<plot::Line>(figure.panels[0]);
  ASSERT_THAT(curves, SizeIs(2));
  const plot::Points invariant = marks<plot::Points>(figure.panels[0])[0];
  ASSERT_THAT(invariant.x, SizeIs(4));
  for (const plot::Line& curve : curves) {
    EXPECT_EQ(curve.x.front(), curve.x.back()) << "a closed curve";
    for (std::size_t i = 0; i < invariant.x.size(); ++i) {
      double nearest = 1.0;
      for (std::size_t j = 0; j < curve.x.size(); ++j) {
        nearest = std::min(nearest, std::hypot(curve.x[j] - invariant.x[i], curve.y[j] - invariant.y[i]));
      }
      EXPECT_LT(nearest, 2e-3) << i;
    }
  }
}

TEST(FailureFigure, HasTheLandscapesSamplesWhereTheyBelong) {
  const nlohmann::json numbers = failure({}, coarse);
  const plot::Field field = marks<plot::HeatMap>(failure_figure(numbers).panels[0])[0].field;
  EXPECT_NEAR(field.centre(0, 0).x, numbers["landscape"]["u"][0].get<double>(), 1e-12);
  EXPECT_NEAR(field.centre(40, 40).y, numbers["landscape"]["v"][40].get<double>(), 1e-12);
  EXPECT_EQ(field.at(7, 3), numbers["landscape"]["erm"][3][7].get<double>());
}

TEST(FailureFigure, ShowsTheWholeFrontAndFIrm) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    const plot::Figure figure = failure_figure(failure({.loss = loss}, coarse));
    const auto& chart = std::get<plot::Chart>(figure.panels[2]);
    const plot::Line front = marks<plot::Line>(figure.panels[2])[0];
    std::vector<double> x = front.x, y = front.y;
    for (const plot::Label& label : marks<plot::Label>(figure.panels[2])) {
      if (label.subscript == "IRM") {
        x.push_back(label.x);
        y.push_back(label.y);
      }
    }
    ASSERT_THAT(x, SizeIs(12));
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_TRUE(x[i] > chart.x.range->first && x[i] < chart.x.range->second);
      EXPECT_TRUE(y[i] > chart.y.range->first && y[i] < chart.y.range->second);
    }
  }
}

TEST(FailureFigure, IsDrawnForAnyEnvironments) {
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    for (const std::vector<double>& betas :
         {std::vector{0.1, 0.2}, {0.9, 0.1}, {0.2, 0.3, 0.4, 0.5, 0.6}, {0.001, 0.999}}) {
      for (const double alpha : {0.01, 0.25, 0.5, 0.9}) {
        const nlohmann::json numbers = failure({.loss = loss, .alpha = alpha, .betas = betas}, coarse);
        const plot::Figure figure = failure_figure(numbers);
        EXPECT_THAT(plot::to_svg(figure), HasSubstr("Pareto front"));
        EXPECT_THAT(marks<plot::Line>(figure.panels[0]), SizeIs(betas.size()));
      }
    }
  }
}

}  // namespace
}  // namespace pair::paper::failure_figure_test
