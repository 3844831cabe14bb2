#include "pair/plot/label_placer.h"

#include <gmock/gmock.h>

namespace pair::plot::label_placer_test {
namespace {

constexpr Rect plot{0, 0, 200, 200};

TEST(LabelPlacer, PrefersTheUpperRight) {
  const Rect box = LabelPlacer(plot).place({100, 100}, 30, 12);
  EXPECT_GT(box.x, 100);
  EXPECT_LT(box.bottom(), 100);
}

TEST(LabelPlacer, StaysInsideThePlot) {
  for (const Point point : {Point{0, 0}, {200, 0}, {0, 200}, {200, 200}, {100, 0}, {200, 100}}) {
    const Rect box = LabelPlacer(plot).place(point, 30, 12);
    EXPECT_DOUBLE_EQ(box.overlap(plot), 30 * 12) << point.x << ' ' << point.y;
  }
}

TEST(LabelPlacer, KeepsLabelsApart) {
  LabelPlacer placer(plot);
  const Rect a = placer.place({100, 100}, 40, 12), b = placer.place({102, 101}, 40, 12),
             c = placer.place({99, 103}, 40, 12);
  EXPECT_EQ(a.overlap(b) + a.overlap(c) + b.overlap(c), 0);
}

TEST(LabelPlacer, KeepsClearOfMarkersAndLines) {
  LabelPlacer markers(plot);
  const Rect marker{104, 80, 40, 16};
  markers.avoid(marker);
  EXPECT_EQ(markers.place({100, 100}, 30, 12).overlap(marker), 0);
  LabelPlacer lines(plot);
  lines.avoid_line(std::vector<Point>{{100, 100}, {200, 60}});
  const Rect box = lines.place({100, 100}, 30, 12);
  EXPECT_FALSE(box.x > 100 && box.bottom() < 100) << "the line goes there";
}

TEST(LabelPlacer, FindsAFreePlaceOnALine) {
  LabelPlacer placer(plot);
  const Rect marker{0, 90, 120, 20};
  placer.avoid(marker);
  std::vector<Point> line;
  for (int i = 0; i <= 100; ++i) {
    line.push_back({2.0 * i, 100});
  }
  EXPECT_EQ(placer.place_on(line, 20, 10).overlap(marker), 0);
}

}  // namespace
}  // namespace pair::plot::label_placer_test
