#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pair/data/image.h"

// Image files for tests, written without the code under test.

namespace pair::tests {

// An image whose pixels all differ from their neighbours; different seeds give different images.
data::Image picture(std::int64_t rows, std::int64_t columns, unsigned seed = 0);

// A PNG file from its parts. rows: for each row, bytes as the colour type and bit depth have them, without
// filter bytes. extra: chunks between IHDR and IDAT, as png_chunk gives them.
struct PngParts {
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;
  int bit_depth = 8;   // 1, 2, 4, 8, 16
  int color_type = 2;  // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
  std::vector<data::Bytes> lines;
  data::Bytes extra;
};
data::Bytes png_chunk(std::string_view type, const data::Bytes& content);
data::Bytes png(const PngParts& parts);
data::Bytes png(const data::Image& image);

// A JPEG file. channels: 1 (the image's red as grey), 3, or 4 (CMYK, not inverted: red, green, blue and 30
// of black as they are).
struct JpegOptions {
  int quality = 95;
  int channels = 3;
  bool progressive = false;
};
data::Bytes jpeg(const data::Image& image, const JpegOptions& options = {});

}  // namespace pair::tests
