#include "pair/data/quarter_turns.h"

#include <algorithm>

namespace pair::data {

Image quarter_turned(const Image& image, int turns) {
  const std::int64_t side = image.rows;
  Image result{side, side, Bytes(image.pixels.size())};
  const auto at = [side](std::int64_t row, std::int64_t column) {
    return static_cast<std::ptrdiff_t>((row * side + column) * Image::channels);
  };
  for (std::int64_t row = 0; row < side; ++row) {
    for (std::int64_t column = 0; column < side; ++column) {
      const std::int64_t last = side - 1;
      const std::ptrdiff_t from = turns == 0   ? at(row, column)
                                  : turns == 1 ? at(column, last - row)
                                  : turns == 2 ? at(last - row, last - column)
                                               : at(last - column, row);
      std::copy_n(image.pixels.begin() + from, Image::channels, result.pixels.begin() + at(row, column));
    }
  }
  return result;
}

}  // namespace pair::data
