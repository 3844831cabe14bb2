#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "pair/data/bytes.h"

// Pictures from JPEG and PNG files as red, green and blue bytes, and their resizing. Pixels are those that
// Pillow gives for Image.open(path).convert("RGB") and resize(..., Image.BILINEAR), on which torchvision's
// transforms are built.

namespace pair::data {

struct Image {
  static constexpr std::int64_t channels = 3;

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  // Row by row, each pixel red, green, blue: rows * columns * channels bytes of sRGB.
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] std::uint8_t at(std::int64_t row, std::int64_t column, std::int64_t channel) const {
    return pixels[static_cast<std::size_t>((row * columns + column) * channels + channel)];
  }
};

// A file that is not a picture, is cut off or damaged, or is too large. what() is the reason, without the
// file's name.
class BrokenImage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ImageLimits {
  std::int64_t pixels =
      100'000'000;  // rows times columns; larger pictures are refused before memory is taken for them
};

// The longest side of a picture, which is JPEG's own limit.
inline constexpr std::int64_t longest_image_side = 65'535;

// Decodes a whole file. Its first bytes, not its name, say whether it is JPEG or PNG.
//   - Grey and palette pictures become RGB.
//   - Transparency is dropped, not blended with a background: the colours stored under transparent pixels
//   show.
//   - Of 16 bits per channel, the upper 8 are kept.
//   - CMYK JPEGs are taken to be inverted, as Adobe writes them, and converted without a colour profile.
//   - Colour profiles, gamma and EXIF orientation are ignored.
// Throws BrokenImage for anything else, and for files that end early or whose data is damaged, even where a
// viewer would show a part of them.
Image decode_image(BytesView file, const ImageLimits& limits = {});

// The picture with rows x columns pixels, 1 to 16384 each; the aspect ratio is not kept. Bilinear; a smaller
// picture's pixels are averages over the area that they stand for (antialiasing). The same bytes as Pillow's.
// Throws std::invalid_argument for a size out of range and for an image whose pixels do not fit its size.
Image resized(const Image& image, std::int64_t rows, std::int64_t columns);

// Left and right exchanged.
void flip_horizontally(Image& image);

}  // namespace pair::data
