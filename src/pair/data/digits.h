#pragma once

#include <cstdint>
#include <vector>

#include "pair/data/bytes.h"

// Handwritten digits as plain numbers, the input of ColoredMNIST.

namespace pair::data {

struct Digits {
  std::int64_t count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::uint8_t> pixels;  // count * rows * columns, image by image, row by row; 0 is background
  std::vector<std::uint8_t> labels;  // count, each 0 to 9

  bool operator==(const Digits&) const = default;
};

// Throws std::invalid_argument if the numbers of pixels and labels do not match count, rows and columns.
void check_sizes(const Digits& digits);

// Every stride-th row and column, starting with the first; stride >= 1. Stride 2 turns MNIST's 28x28 into the
// 14x14 of IRM's ColoredMNIST.
Digits subsampled(const Digits& digits, std::int64_t stride);

// MNIST's 60,000 training digits at 14x14, in MNIST's order. They are embedded in the program (2.7 MB) and
// need no download. Unpacked at each call, in about 40 ms. Throws std::runtime_error if the embedded bytes do
// not have the known SHA-256.
Digits embedded_mnist14();

// Unpacks the bytes of assets/mnist14/mnist14.zst: a zstd frame that holds an idx file of images followed by
// one of labels.
Digits unpack_mnist14(BytesView compressed);

}  // namespace pair::data
