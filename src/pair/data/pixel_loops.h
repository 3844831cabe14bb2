#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// The inner loops over the pixels of an image. On x86-64 they have a second form for processors with AVX2: the
// same loops compiled for it or, for resampling and hue, loops written for it. Both forms give the same
// numbers. Pixels are red, green, blue bytes, one after another.

namespace pair::data {

// The input pixels, along one side, that an output pixel is a weighted mean of.
struct PixelWindow {
  std::int64_t first = 0;
  std::size_t weights = 0;  // start of its weights
  std::int64_t count = 0;   // at least 1
};

// Fixed-point weights from 0 to 1 << weight_bits, so that sums are exact in any order: 32 bits minus 8 for the
// pixels and 2 spare (Pillow's Resample.c).
inline constexpr int weight_bits = 32 - 8 - 2;
inline constexpr std::int32_t half_unit = 1 << (weight_bits - 1);

struct PixelLoops {
  // The first `count` rows of `pixels`, `columns` pixels each, resampled: `out` has a row of three bytes per
  // window for each. Several rows per call are faster.
  void (*resample_rows)(std::span<const std::uint8_t> pixels, std::size_t columns, std::size_t count,
                        std::span<const PixelWindow> windows, std::span<const std::int32_t> weights,
                        std::uint8_t* out);
  // sums[i] += weight * row[i].
  void (*add_row)(std::span<const std::uint8_t> row, std::int32_t weight, std::int32_t* sums);
  // Sums of weighted bytes, which start at half_unit, as bytes.
  void (*to_bytes)(std::span<const std::int32_t> sums, std::uint8_t* bytes);
  // Interleaved pixels as three planes of `count` bytes.
  void (*to_planes)(const std::uint8_t* pixels, std::size_t count, std::uint8_t* planes);

  // Pillow's ITU-R 601-2 luma: the sum over all pixels, and in place of each pixel.
  std::uint64_t (*sum_of_greys)(std::span<const std::uint8_t> pixels);
  void (*to_grey)(std::span<std::uint8_t> pixels);
  // Each channel as grey + factor * (channel - grey), cut off: Pillow's blend with the image in grey.
  void (*away_from_grey)(std::span<std::uint8_t> pixels, float factor);
  // Each byte as level + factor * (byte - level), cut off: Pillow's blend with an image of one level.
  void (*away_from_level)(std::span<std::uint8_t> bytes, int level, float factor);
  // Adds to the hue, of which 256 is the whole circle: Pillow's conversion to HSV and back.
  void (*turn_hue)(std::span<std::uint8_t> pixels, std::uint8_t turn);
};

// Those for this processor.
const PixelLoops& pixel_loops();
// Those for any processor, for tests.
const PixelLoops& plain_pixel_loops();

}  // namespace pair::data
