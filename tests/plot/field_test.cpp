#include "pair/plot/field.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

namespace pair::plot::field_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

double length(const std::vector<Point>& line) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    sum += std::hypot(line[i + 1].x - line[i].x, line[i + 1].y - line[i].y);
  }
  return sum;
}

TEST(Field, IsSampledAtTheCentresOfItsCells) {
  const Field field = sample(4, 2, 0, 8, 10, 20, [](double x, double y) { return 100 * x + y; });
  EXPECT_EQ(field.at(0, 0), 100 * 1 + 12.5);
  EXPECT_EQ(field.at(3, 1), 100 * 7 + 17.5);
}

TEST(Contour, OfAConeIsACircle) {
  const Field field = sample(101, 101, -2, 2, -2, 2, [](double x, double y) { return std::hypot(x, y); });
  const auto lines = contour(field, 1.3);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].front(), lines[0].back());
  for (const Point& point : lines[0]) {
    EXPECT_NEAR(std::hypot(point.x, point.y), 1.3, 1e-3);
  }
  EXPECT_NEAR(length(lines[0]), 2 * std::numbers::pi * 1.3, 1e-2);
}

TEST(Contour, OfAPlaneIsOneStraightLineFromEdgeToEdge) {
  const Field field = sample(20, 30, 0, 1, 0, 1, [](double x, double y) { return 2 * x + 3 * y; });
  const auto lines = contour(field, 2.0);
  ASSERT_THAT(lines, SizeIs(1));
  for (const Point& point : lines[0]) {
    EXPECT_NEAR(2 * point.x + 3 * point.y, 2.0, 1e-12);
  }
  EXPECT_NE(lines[0].front(), lines[0].back());
}

TEST(Contour, OfASaddleHasTwoBranchesThatDoNotMeet) {
  const Field field = sample(40, 40, -1, 1, -1, 1, [](double x, double y) { return x * y; });
  for (const double level : {0.001, -0.001, 0.2, -0.2}) {
    const auto lines = contour(field, level);
    ASSERT_THAT(lines, SizeIs(2)) << level;
    for (const auto& line : lines) {
      for (const Point& point : line) {
        EXPECT_NEAR(point.x * point.y, level, 3e-3);
      }
    }
  }
}

TEST(Contour, OfManyHillsHasOneRingEach) {
  const Field field = sample(120, 120, 0, 3, 0, 3, [](double x, double y) {
    return std::sin(2 * std::numbers::pi * x) * std::sin(2 * std::numbers::pi * y);
  });
  const auto lines = contour(field, 0.5);
  ASSERT_THAT(lines, SizeIs(18));
  for (const auto& line : lines) {
    EXPECT_EQ(line.front(), line.back());
  }
}

TEST(Contour, IsNowhereOutsideTheValuesOrInNothing) {
  const Field field = sample(5, 5, 0, 1, 0, 1, [](double x, double) { return x; });
  EXPECT_THAT(contour(field, 2), IsEmpty());
  EXPECT_THAT(contour(field, NAN), IsEmpty());
  EXPECT_THAT(contour(Field{}, 0), IsEmpty());
  EXPECT_THAT(contour(Field{1, 1, {0.0}, 0, 1, 0, 1}, 0), IsEmpty());
  EXPECT_THAT(contour(sample(5, 5, 0, 1, 0, 1, [](double, double) { return 3.0; }), 3), IsEmpty());
}

TEST(Contour, StopsAtMissingValues) {
  const Field field =
      sample(51, 51, -2, 2, -2, 2, [](double x, double y) { return x > 0.5 ? NAN : std::hypot(x, y); });
  const auto lines = contour(field, 1);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_NE(lines[0].front(), lines[0].back());
  for (const Point& point : lines[0]) {
    EXPECT_LE(point.x, 0.5);
  }
}

}  // namespace
}  // namespace pair::plot::field_test
