#include "pair/plot/geometry.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pair/data/random.h"

namespace pair::plot::geometry_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Rect box{0, 0, 10, 10};

double area(const std::vector<Point>& corners) {
  double twice = 0.0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point a = corners[i], b = corners[(i + 1) % corners.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return std::abs(twice) / 2;
}

TEST(ClipLine, KeepsWhatIsInside) {
  const std::vector<Point> line = {{1, 1}, {5, 5}, {9, 2}};
  EXPECT_THAT(clip_line(line, box), ElementsAre(line));
}

TEST(ClipLine, CutsAtTheEdgesAndComesBack) {
  const auto parts = clip_line(std::vector<Point>{{-5, 5}, {5, 5}, {5, 15}, {8, 15}, {8, 5}}, box);
  EXPECT_THAT(parts, ElementsAre(ElementsAre(Point{0, 5}, Point{5, 5}, Point{5, 10}),
                                 ElementsAre(Point{8, 10}, Point{8, 5})));
}

TEST(ClipLine, LeavesNothingOfALineOutside) {
  EXPECT_THAT(clip_line(std::vector<Point>{{-5, -5}, {-5, 15}, {15, 15.5}}, box), IsEmpty());
  EXPECT_THAT(clip_line(std::vector<Point>{{5, 5}}, box), IsEmpty());
}

TEST(ClipLine, NeverLeavesTheRectangle) {
  data::Random random(3, "plot");
  for (int i = 0; i < 2000; ++i) {
    std::vector<Point> line;
    for (int j = 0; j < 6; ++j) {
      line.push_back({40 * random.uniform() - 15, 40 * random.uniform() - 15});
    }
    for (const auto& part : clip_line(line, box)) {
      for (const Point& point : part) {
        ASSERT_TRUE(box.grown(1e-9).contains(point));
      }
    }
  }
}

TEST(ClipArea, CutsToTheRectangle) {
  EXPECT_EQ(area(clip_area(std::vector<Point>{{-5, -5}, {15, -5}, {15, 15}, {-5, 15}}, box)), 100);
  EXPECT_EQ(area(clip_area(std::vector<Point>{{5, 5}, {15, 5}, {15, 15}, {5, 15}}, box)), 25);
  EXPECT_EQ(area(clip_area(std::vector<Point>{{1, 1}, {3, 1}, {1, 3}}, box)), 2);
  EXPECT_THAT(clip_area(std::vector<Point>{{11, 11}, {12, 11}, {12, 12}}, box), IsEmpty());
}

TEST(Thinned, KeepsTheExtremesOfEveryColumn) {
  std::vector<Point> line;
  for (int i = 0; i < 100'000; ++i) {
    line.push_back({i / 1000.0, i % 997 == 0 ? 50.0 : std::sin(i)});
  }
  const std::vector<Point> thin = thinned(line);
  EXPECT_LE(thin.size(), 4U * 201);
  EXPECT_EQ(thin.front(), line.front());
  EXPECT_EQ(thin.back(), line.back());
  EXPECT_EQ(std::count_if(thin.begin(), thin.end(), [](Point p) { return p.y == 50.0; }) > 100, true);
}

TEST(Thinned, LeavesShortLinesAsTheyAre) {
  const std::vector<Point> line = {{0, 1}, {10, 2}, {20, 0}, {15, 3}};
  EXPECT_EQ(thinned(line), line);
  EXPECT_THAT(thinned({}), SizeIs(0));
}

}  // namespace
}  // namespace pair::plot::geometry_test
