#pragma once

#include <filesystem>
#include <string_view>

#include "pair/data/bytes.h"
#include "pair/data/digits.h"

// The idx format, in which MNIST comes: a big-endian header (two zero bytes, the type, the number of
// dimensions, then each dimension in four bytes) and the values, row by row. Of its types only the one MNIST
// uses is read: unsigned bytes, in three dimensions for images (header 0x00000803) and in one for labels
// (0x00000801).

namespace pair::data {

// An image file and its label file as digits. The names stand in the sentences. Throws std::runtime_error
// that names the file, the value and what is accepted where a header is not the above, a dimension is 0,
// images are larger than 4096 x 4096, the length is not exactly what the header announces, a label is over
// 9, or the counts differ.
Digits parse_idx(BytesView images, std::string_view images_name, BytesView labels,
                 std::string_view labels_name);

// Whether the bytes begin as an idx file of images does.
bool is_idx(BytesView bytes);

// An image file alone: digits without labels. Throws as above.
Digits parse_idx_images(BytesView images, std::string_view images_name);

// Both from disk; either file may be gzipped (told by its content). Also throws what read_bytes and
// gunzip throw.
Digits read_idx(const std::filesystem::path& images, const std::filesystem::path& labels);

}  // namespace pair::data
