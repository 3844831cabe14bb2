#pragma once

#include <cstdint>
#include <span>

namespace pair::data {

// Rotates an image of rows x columns bytes by an angle in degrees, counter-clockwise about its centre, and
// writes it to `out`, which has the same size and must not overlap. Values are interpolated bilinearly and
// rounded down; outside of the image they are 0. These are Pillow's rules, which DomainBed uses for its
// digits.
void rotate(std::span<const std::uint8_t> image, std::int64_t rows, std::int64_t columns, double degrees,
            std::span<std::uint8_t> out);

}  // namespace pair::data
