#pragma once

#include <cstdint>
#include <vector>

#include "pair/data/bytes.h"

// Handwritten digits as plain numbers: what ColoredMNIST is made of.

namespace pair::data {

struct Digits {
  std::int64_t count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::uint8_t> pixels;  // count * rows * columns, image by image, row by row; 0 is background
  std::vector<std::uint8_t> labels;  // count, each 0 to 9

  bool operator==(const Digits&) const = default;
};

// Throws std::invalid_argument where pixels and labels are not as many as count, rows and columns say.
void check_sizes(const Digits& digits);

// Every stride-th row and column, starting with the first; stride >= 1. Stride 2 makes MNIST's 28x28 the
// 14x14 of IRM's ColoredMNIST.
Digits subsampled(const Digits& digits, std::int64_t stride);

// MNIST's 60,000 training digits at 14x14, in MNIST's order. They are part of the program (2.7 MB of it), so
// no path and no download is needed; unpacking takes about 40 ms and is done anew at each call. Throws
// std::runtime_error where the bytes in the program do not have the known SHA-256.
Digits embedded_mnist14();

// What embedded_mnist14() does to the bytes of assets/mnist14/mnist14.zst: a zstd frame that holds an idx
// file of images followed by one of labels, and nothing else.
Digits unpack_mnist14(BytesView compressed);

}  // namespace pair::data
