#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pair/plot/color.h"

// A small image inside a drawing. A heat map of 200 x 200 cells takes 40,000 rectangles, or 2 MB of text; as
// rows of equal colour still several hundred kB on a smooth field; as a PNG of 255 colours, some 10 kB.

namespace pair::plot {

inline constexpr std::uint8_t transparent_pixel = 0;

// A PNG of palette colours: pixel 0 is transparent, pixel 1 to 255 the scale from its start to its end. Row 0
// of `pixels` is the top.
std::string encode_png(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                       ColorScale scale, Theme theme);

// The pixel for t from 0 to 1 on the scale.
std::uint8_t scale_pixel(double t);

// "data:image/png;base64,...".
std::string data_uri(std::string_view png);

}  // namespace pair::plot
