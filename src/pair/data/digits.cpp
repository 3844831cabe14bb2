#include "pair/data/digits.h"

#include <stdexcept>
#include <string>

namespace pair::data {

void check_sizes(const Digits& digits) {
  const auto pixels = static_cast<std::size_t>(digits.count * digits.rows * digits.columns);
  if (digits.pixels.size() != pixels || digits.labels.size() != static_cast<std::size_t>(digits.count)) {
    throw std::invalid_argument("digits: expected " + std::to_string(digits.count) + " of " +
                                std::to_string(digits.rows) + " x " + std::to_string(digits.columns) +
                                " pixels, got " + std::to_string(digits.pixels.size()) + " pixels and " +
                                std::to_string(digits.labels.size()) + " labels");
  }
}

Digits subsampled(const Digits& digits, std::int64_t stride) {
  if (stride < 1) {
    throw std::invalid_argument("stride: expected at least 1, got " + std::to_string(stride));
  }
  Digits out{.count = digits.count,
             .rows = (digits.rows + stride - 1) / stride,
             .columns = (digits.columns + stride - 1) / stride,
             .pixels = {},
             .labels = digits.labels};
  out.pixels.reserve(static_cast<std::size_t>(out.count * out.rows * out.columns));
  for (std::int64_t image = 0; image < digits.count; ++image) {
    for (std::int64_t row = 0; row < digits.rows; row += stride) {
      for (std::int64_t column = 0; column < digits.columns; column += stride) {
        const std::int64_t at = (image * digits.rows + row) * digits.columns + column;
        out.pixels.push_back(digits.pixels[static_cast<std::size_t>(at)]);
      }
    }
  }
  return out;
}

}  // namespace pair::data
