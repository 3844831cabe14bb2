#pragma once

#include <filesystem>
#include <string_view>

#include "pair/data/bytes.h"
#include "pair/data/digits.h"

// The idx format of MNIST: a big-endian header (two zero bytes, the type, the number of dimensions, then each
// dimension in four bytes), followed by the values, row by row. Only MNIST's type is supported: unsigned
// bytes, in three dimensions for images (header 0x00000803) and in one for labels (0x00000801).

namespace pair::data {

// The digits of an image file and its label file. The names are used in error messages. Throws
// std::runtime_error that names the file, the value and what is expected if a header is invalid, a dimension
// is 0, images are larger than 4096 x 4096, the length does not match the header, a label is above 9, or the
// counts differ.
Digits parse_idx(BytesView images, std::string_view images_name, BytesView labels,
                 std::string_view labels_name);

// Whether the bytes begin like an IDX file of images.
bool is_idx(BytesView bytes);

// An image file without labels. Throws as above.
Digits parse_idx_images(BytesView images, std::string_view images_name);

// Both from disk; either file may be gzipped (detected by content). Also throws the errors of read_bytes
// and gunzip.
Digits read_idx(const std::filesystem::path& images, const std::filesystem::path& labels);

}  // namespace pair::data
