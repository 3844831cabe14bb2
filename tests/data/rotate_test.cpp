#include "pair/data/rotate.h"

#include <gmock/gmock.h>

#include <vector>

namespace pair::data::rotate_test {
namespace {

using Image = std::vector<std::uint8_t>;
using ::testing::ElementsAreArray;

// Four rows of five: 7, 19, 31, ...
Image ramp() {
  Image image;
  for (int i = 0; i < 20; ++i) {
    image.push_back(static_cast<std::uint8_t>(7 + 12 * i));
  }
  return image;
}

Image turned(const Image& image, std::int64_t rows, std::int64_t columns, double degrees) {
  Image out(image.size(), 99);
  rotate(image, rows, columns, degrees, out);
  return out;
}

TEST(Rotate, GivesPillowsPixels) {
  EXPECT_THAT(turned(ramp(), 4, 5, 30), ElementsAreArray({0,  29,  52,  92,  127, 17,  57,  98,  138, 178,
                                                          63, 103, 143, 184, 224, 114, 149, 189, 212, 0}));
  EXPECT_THAT(turned(ramp(), 4, 5, 75), ElementsAreArray({0,  54, 115, 176, 234, 0, 57, 119, 180, 223,
                                                          18, 61, 122, 184, 0,   7, 65, 126, 187, 0}));
}

TEST(Rotate, LeavesTheImageAtZeroDegrees) {
  EXPECT_EQ(turned(ramp(), 4, 5, 0), ramp());
}

TEST(Rotate, TurnsCounterClockwise) {
  const Image right_dot = {0, 0, 0, 0, 0, 200, 0, 0, 0};
  const Image top_dot = {0, 200, 0, 0, 0, 0, 0, 0, 0};
  const Image result = turned(right_dot, 3, 3, 90);
  for (std::size_t i = 0; i < result.size(); ++i) {
    EXPECT_NEAR(result[i], top_dot[i], 1) << i;
  }
}

}  // namespace
}  // namespace pair::data::rotate_test
