#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

// Decodes JPEG, PNG, WebP, TIFF, BMP and PPM files to red, green and blue bytes, and resizes images. Pixels
// equal those of Pillow's Image.open(path).convert("RGB") and resize(..., Image.BILINEAR), which
// torchvision's transforms use.

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

// A file that is not an image, is truncated or damaged, or is too large. what() is the reason, without the
// file's name.
class BrokenImage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ImageLimits {
  // Rows times columns; larger images are refused before memory is allocated. Pillow's limit, 1 GiB / 12.
  std::int64_t pixels = 89'478'485;
};

// The longest side of an image: JPEG's limit.
inline constexpr std::int64_t longest_image_side = 65'535;

// Decodes a whole file. The first bytes, not the name, decide the format.
//   - Grey and palette images become RGB.
//   - Transparency is dropped, not blended with a background: the colours stored under transparent pixels
//     show.
//   - Of 16 bits per channel, the upper 8 are kept.
//   - Of several images in a file (TIFF, animated WebP), the first is taken.
//   - CMYK JPEGs are assumed to be inverted, as Adobe writes them, and converted without a colour profile.
//   - Colour profiles, gamma and EXIF orientation are ignored.
// Throws BrokenImage for anything else, for truncated or damaged files, even if a viewer would show a
// part of them, and for WebP and TIFF if this program was built without their libraries.
Image decode_image(BytesView file, const ImageLimits& limits = {});

// A part of an image, in pixels.
struct CropBox {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  bool operator==(const CropBox&) const = default;
};

// The part of an image that is needed, and the size that it will be resized to.
struct WantedPart {
  CropBox box;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
// Chooses a part, not empty, of an image with that many rows and columns.
using ChoosePart = std::function<WantedPart(std::int64_t rows, std::int64_t columns)>;

// A decoded part of an image. It may have been shrunk, and pixels around it may have been decoded, too.
struct ImagePart {
  Image image;
  // The position of the part in `image`, in its pixels.
  double top = 0.0;
  double left = 0.0;
  double rows = 0.0;
  double columns = 0.0;
};
// An image as a part of itself.
ImagePart part_of(Image image, const CropBox& box);

// Decodes only what is needed for a part at a given size, in less time than decode_image. A JPEG is decoded
// only there, at a half, a quarter or an eighth of its size if that is not smaller than wanted in either
// direction: libjpeg's scaled decoding averages pixels while they are still cosine coefficients. The result
// of resizing differs slightly from that of the whole image: in the mean by less than 2/255, mostly less than
// 1/255. Other formats are decoded as a whole. Throws BrokenImage as decode_image does; data behind the last
// needed row is only checked for its end.
ImagePart decode_part(BytesView file, const ChoosePart& choose, const ImageLimits& limits = {});

// The formats that decode_image reads in this program: "JPEG, PNG, WebP, TIFF, BMP or PPM".
std::string_view image_formats();

// How a file's camera was held, by its EXIF data: 1 (upright) to 8, and 1 if it does not say. JPEG, PNG, WebP
// and TIFF.
int exif_orientation(BytesView file);
// The image turned and mirrored by an orientation, as Pillow's ImageOps.exif_transpose does.
Image upright(Image image, int orientation);

// The image resized to rows x columns pixels, 1 to 16384 each, without keeping the aspect ratio. Bilinear
// with antialiasing: when shrinking, pixels are averages over the area they cover. The same bytes as
// Pillow's. Throws std::invalid_argument for a size out of range and for an image whose pixels do not match
// its size.
Image resized(const Image& image, std::int64_t rows, std::int64_t columns);

// The same for a part, whose pixels count by how much of them is inside.
Image resized(const ImagePart& part, std::int64_t rows, std::int64_t columns);

// Mirrors the image left to right.
void flip_horizontally(Image& image);

}  // namespace pair::data
