#pragma once

#include <cstdint>

#include "pair/data/image.h"

// The formats of decode_image, one file each, because each uses a C library that reports errors by longjmp.

namespace pair::data {

Image decode_jpeg(BytesView file, const ImageLimits& limits);
Image decode_png(BytesView file, const ImageLimits& limits);

// Throws BrokenImage if the image exceeds the limits.
void check_image_size(std::uint64_t rows, std::uint64_t columns, const ImageLimits& limits);

}  // namespace pair::data
