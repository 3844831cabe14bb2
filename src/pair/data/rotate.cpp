#include "pair/data/rotate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pair::data {
namespace {

double between(double first, double second, double share) {
  return first + (second - first) * share;
}

}  // namespace

void rotate(std::span<const std::uint8_t> image, std::int64_t rows, std::int64_t columns, double degrees,
            std::span<std::uint8_t> out) {
  if (degrees == 0.0) {
    std::copy(image.begin(), image.end(), out.begin());
    return;
  }
  const double angle = degrees * std::numbers::pi / 180.0;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const double middle_x = static_cast<double>(columns) / 2.0;
  const double middle_y = static_cast<double>(rows) / 2.0;
  const auto pixel = [&](std::int64_t x, std::int64_t y) {
    const std::int64_t row = std::clamp<std::int64_t>(y, 0, rows - 1);
    return static_cast<double>(
        image[static_cast<std::size_t>(row * columns + std::clamp<std::int64_t>(x, 0, columns - 1))]);
  };
  std::size_t at = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column, ++at) {
      const double dx = static_cast<double>(column) + 0.5 - middle_x;
      const double dy = static_cast<double>(row) + 0.5 - middle_y;
      // Rows grow downwards, so this rotates counter-clockwise.
      const double source_x = cosine * dx - sine * dy + middle_x;
      const double source_y = sine * dx + cosine * dy + middle_y;
      if (source_x < 0.0 || source_x >= static_cast<double>(columns) || source_y < 0.0 ||
          source_y >= static_cast<double>(rows)) {
        out[at] = 0;
        continue;
      }
      const double left = std::floor(source_x - 0.5);
      const double top = std::floor(source_y - 0.5);
      const auto x = static_cast<std::int64_t>(left);
      const auto y = static_cast<std::int64_t>(top);
      const double share = source_x - 0.5 - left;
      const double upper = between(pixel(x, y), pixel(x + 1, y), share);
      const double lower = between(pixel(x, y + 1), pixel(x + 1, y + 1), share);
      out[at] = static_cast<std::uint8_t>(between(upper, lower, source_y - 0.5 - top));
    }
  }
}

}  // namespace pair::data
