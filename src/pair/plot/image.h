#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pair/plot/color.h"

// An image embedded in a drawing. A heat map of 200 x 200 cells takes 40,000 rectangles, or 2 MB of text;
// runs of equal colour still take several hundred kB on a smooth field; a PNG of 255 colours takes about 10
// kB.

namespace pair::plot {

inline constexpr std::uint8_t transparent_pixel = 0;

// A palette PNG: pixel value 0 is transparent; 1 to 255 are the colours of the scale. Row 0 of `pixels` is
// the top.
std::string encode_png(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                       ColorScale scale, Theme theme);

// The pixel value of t in [0, 1].
std::uint8_t scale_pixel(double t);

// "data:image/png;base64,...".
std::string data_uri(std::string_view png);

}  // namespace pair::plot
