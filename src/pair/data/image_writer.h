#pragma once

#include "pair/data/bytes.h"
#include "pair/data/image.h"

// Image files, for made-up datasets.

namespace pair::data {

// A PNG file with 8 bits per channel.
Bytes png_bytes(const Image& image);
// A JPEG file of quality 90.
Bytes jpeg_bytes(const Image& image);

}  // namespace pair::data
