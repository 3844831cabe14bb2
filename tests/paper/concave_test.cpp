#include "pair/paper/concave.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "pair/plot/svg.h"

namespace pair::paper::concave_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(FigConcave, EpoReachesEveryPreferredPointAndWeightedSumsOnlyTheEnds) {
  const nlohmann::json result = concave();
  ASSERT_EQ(result.at("runs").size(), 9U);
  EXPECT_EQ(result.at("reached").at("epo"), 9);
  EXPECT_EQ(result.at("reached").at("linear"), 0);
  // A loss below this is beyond the inflection, where the front is convex.
  const double convex = result.at("inflections").at(1).at(0).get<double>();
  for (const nlohmann::json& run : result.at("runs")) {
    const nlohmann::json& end = run.at("linear").at("end");
    EXPECT_LT(std::min(end.at(0).get<double>(), end.at(1).get<double>()), convex);
    EXPECT_EQ(run.at("epo").at("path").front(), run.at("linear").at("path").front());
    EXPECT_EQ(run.at("epo").at("path").back(), run.at("epo").at("end"));
  }
}

TEST(FigConcave, TellsAndDrawsWhatItFound) {
  const nlohmann::json result = concave({.rays = 3, .steps = 400});
  EXPECT_THAT(concave_text(result),
              HasSubstr("EPO 3 of 3, the weighted sum with the same numbers as weights 0 of 3"));
  const plot::Figure figure = concave_figure(result);
  ASSERT_EQ(figure.panels.size(), 2U);
  EXPECT_THAT(plot::to_svg(figure), HasSubstr("EPO: 3 of 3 runs end at the preferred point"));
}

TEST(FigConcave, CountsRunsThatDoNotArrive) {
  const nlohmann::json result = concave({.rays = 9, .steps = 3});
  EXPECT_LT(result.at("reached").at("epo"), 9);
}

TEST(FigConcave, RefusesNumbersOutOfRange) {
  EXPECT_THAT(
      [] { (void)concave({.rays = 0}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("rays: expected an integer from 1 to 1000, got 0")));
  EXPECT_THAT(
      [] { (void)concave({.steps = 0}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("steps: expected an integer from 1 to 1000000")));
}

}  // namespace
}  // namespace pair::paper::concave_test
