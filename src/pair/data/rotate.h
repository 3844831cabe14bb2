#pragma once

#include <cstdint>
#include <span>

namespace pair::data {

// Turns an image of rows x columns bytes by an angle in degrees, counter-clockwise about its centre, and
// writes it to `out`, which is of the same size and not the same memory. Between pixels values are
// interpolated bilinearly and rounded down; what comes from outside the image is 0. These are Pillow's rules,
// by which DomainBed turns its digits.
void rotate(std::span<const std::uint8_t> image, std::int64_t rows, std::int64_t columns, double degrees,
            std::span<std::uint8_t> out);

}  // namespace pair::data
