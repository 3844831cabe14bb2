#pragma once

#include <cstdint>

#include "pair/data/image.h"

// The formats behind decode_image, one file each, because each comes with a C library whose errors leave by
// longjmp.

namespace pair::data {

Image decode_jpeg(BytesView file, const ImageLimits& limits);
Image decode_png(BytesView file, const ImageLimits& limits);

// Throws BrokenImage where the picture is larger than the limits allow.
void check_image_size(std::uint64_t rows, std::uint64_t columns, const ImageLimits& limits);

}  // namespace pair::data
