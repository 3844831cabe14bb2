#pragma once

#include <cstdint>

#include "pair/data/image.h"

// The formats of decode_image, one file each. JPEG, PNG, WebP and TIFF use their C libraries, some of which
// report errors by longjmp. BMP and PPM are headers followed by plain pixels: a small reader of our own is
// less to trust than a library that reads dozens of formats.

namespace pair::data {

Image decode_jpeg(BytesView file, const ImageLimits& limits);
ImagePart decode_jpeg_part(BytesView file, const ChoosePart& choose, const ImageLimits& limits);
Image decode_png(BytesView file, const ImageLimits& limits);
Image decode_webp(BytesView file, const ImageLimits& limits);
Image decode_tiff(BytesView file, const ImageLimits& limits);
Image decode_bmp(BytesView file, const ImageLimits& limits);
Image decode_pnm(BytesView file, const ImageLimits& limits);

// Whether this program has the libraries. Without, their functions throw BrokenImage that names the package.
bool has_webp();
bool has_tiff();

// Throws BrokenImage with the reader's reason if a call of its library failed.
template <class Reader>
void require(const Reader& reader, bool succeeded) {
  if (!succeeded) {
    throw BrokenImage(reader.reason());
  }
}

// Throws BrokenImage if the image exceeds the limits.
void check_image_size(std::uint64_t rows, std::uint64_t columns, const ImageLimits& limits);

// Throws std::invalid_argument for a box that is empty or not within an image of that size.
void check_box(const CropBox& box, std::int64_t rows, std::int64_t columns);

}  // namespace pair::data
