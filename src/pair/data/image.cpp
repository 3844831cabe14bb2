#include "pair/data/image.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <string>

#include "pair/data/image_formats.h"

namespace pair::data {
namespace {

constexpr std::array<std::uint8_t, 3> jpeg_start{0xff, 0xd8, 0xff};
constexpr std::array<std::uint8_t, 8> png_start{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

constexpr std::array<std::uint8_t, 4> tiff_little{'I', 'I', 42, 0};
constexpr std::array<std::uint8_t, 4> tiff_big{'M', 'M', 0, 42};

BytesView text_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::int64_t longest_resized_side = 16'384;

bool begins_with(BytesView file, BytesView start) {
  return file.size() >= start.size() && std::ranges::equal(file.first(start.size()), start);
}

// The input pixels, along one side, that an output pixel is a weighted mean of.
struct Window {
  std::int64_t first = 0;
  std::size_t weights = 0;  // start of its weights
  std::int64_t count = 0;
};

struct Resampling {
  std::vector<Window> windows;        // one per output pixel; first and last are non-decreasing
  std::vector<std::int32_t> weights;  // in units of 2^-weight_bits
};

// Fixed-point weights, so that sums are exact in any order: 32 bits minus 8 for the pixels and 2 spare
// (Pillow's Resample.c).
constexpr int weight_bits = 32 - 8 - 2;

Resampling bilinear(std::int64_t inputs, std::int64_t outputs) {
  Resampling result;
  const double scale = static_cast<double>(inputs) / static_cast<double>(outputs);
  // When the image shrinks, the triangle is wide enough to cover all inputs.
  const double support = std::max(scale, 1.0);
  std::vector<double> exact;
  for (std::int64_t output = 0; output < outputs; ++output) {
    const double center = (static_cast<double>(output) + 0.5) * scale;
    const auto first =
        std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(center - support + 0.5)), 0);
    const auto end = std::min(static_cast<std::int64_t>(std::floor(center + support + 0.5)), inputs);
    exact.clear();
    double sum = 0.0;
    for (std::int64_t input = first; input < end; ++input) {
      const double distance = std::abs((static_cast<double>(input) - center + 0.5) * (1.0 / support));
      exact.push_back(std::max(1.0 - distance, 0.0));
      sum += exact.back();
    }
    result.windows.push_back({first, result.weights.size(), end - first});
    for (const double weight : exact) {
      // Every window contains the pixel under its centre, so the sum is not 0.
      result.weights.push_back(
          static_cast<std::int32_t>(std::floor(0.5 + weight / sum * (1 << weight_bits))));
    }
  }
  return result;
}

constexpr std::int32_t half_unit = 1 << (weight_bits - 1);

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> weight_bits, 0, 255));
}

void resample_row(const std::uint8_t* row, const Resampling& along, std::span<std::uint8_t> out) {
  std::uint8_t* pixel = out.data();
  for (const Window& window : along.windows) {
    const std::int32_t* weight = along.weights.data() + window.weights;
    const std::uint8_t* input = row + window.first * Image::channels;
    std::int32_t red = half_unit;
    std::int32_t green = half_unit;
    std::int32_t blue = half_unit;
    for (std::int64_t i = 0; i < window.count; ++i) {
      red += weight[i] * input[i * 3];
      green += weight[i] * input[i * 3 + 1];
      blue += weight[i] * input[i * 3 + 2];
    }
    *pixel++ = to_byte(red);
    *pixel++ = to_byte(green);
    *pixel++ = to_byte(blue);
  }
}

void check_side(const char* side, std::int64_t size) {
  if (size < 1 || size > longest_resized_side) {
    throw std::invalid_argument(std::string(side) + " of a resized image: expected 1 to " +
                                std::to_string(longest_resized_side) + ", got " + std::to_string(size));
  }
}

}  // namespace

Image decode_image(BytesView file, const ImageLimits& limits) {
  if (begins_with(file, jpeg_start)) {
    return decode_jpeg(file, limits);
  }
  if (begins_with(file, png_start)) {
    return decode_png(file, limits);
  }
  if (begins_with(file, text_bytes("RIFF")) && file.size() >= 12 &&
      begins_with(file.subspan(8), text_bytes("WEBP"))) {
    return decode_webp(file, limits);
  }
  if (begins_with(file, tiff_little) || begins_with(file, tiff_big)) {
    return decode_tiff(file, limits);
  }
  if (begins_with(file, text_bytes("BM"))) {
    return decode_bmp(file, limits);
  }
  if (file.size() >= 3 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6' &&
      (file[2] == '#' || std::isspace(file[2]) != 0)) {
    return decode_pnm(file, limits);
  }
  throw BrokenImage(file.empty() ? "the file is empty"
                                 : "expected a " + std::string(image_formats()) +
                                       " file, got another (by its first bytes)");
}

std::string_view image_formats() {
  return has_webp() ? (has_tiff() ? "JPEG, PNG, WebP, TIFF, BMP or PPM" : "JPEG, PNG, WebP, BMP or PPM")
                    : (has_tiff() ? "JPEG, PNG, TIFF, BMP or PPM" : "JPEG, PNG, BMP or PPM");
}

void check_image_size(std::uint64_t rows, std::uint64_t columns, const ImageLimits& limits) {
  const auto shown = std::to_string(columns) + " x " + std::to_string(rows) + " pixels";
  if (rows > longest_image_side || columns > longest_image_side) {
    throw BrokenImage("expected sides of at most " + std::to_string(longest_image_side) + " pixels, got " +
                      shown);
  }
  if (rows * columns > static_cast<std::uint64_t>(std::max<std::int64_t>(limits.pixels, 0))) {
    throw BrokenImage("expected at most " + std::to_string(limits.pixels) + " pixels, got " + shown);
  }
}

Image resized(const Image& image, std::int64_t rows, std::int64_t columns) {
  check_side("rows", rows);
  check_side("columns", columns);
  if (image.rows < 1 || image.columns < 1 ||
      image.pixels.size() != static_cast<std::size_t>(image.rows * image.columns * Image::channels)) {
    throw std::invalid_argument("an image to resize: expected rows * columns * 3 bytes, got " +
                                std::to_string(image.pixels.size()) + " for " + std::to_string(image.rows) +
                                " rows and " + std::to_string(image.columns) + " columns");
  }
  if (image.rows == rows && image.columns == columns) {
    return image;
  }
  const Resampling across = bilinear(image.columns, columns);
  const Resampling down = bilinear(image.rows, rows);
  const auto stride = static_cast<std::size_t>(columns * Image::channels);

  // Each input row is narrowed once and added to all output rows it contributes to, without an intermediate
  // image.
  std::vector<std::uint8_t> narrowed(stride);
  std::vector<std::int32_t> sums(stride * static_cast<std::size_t>(rows), half_unit);
  std::size_t first_open = 0;
  for (std::int64_t y = 0; y < image.rows; ++y) {
    resample_row(image.pixels.data() + y * image.columns * Image::channels, across, narrowed);
    while (first_open < down.windows.size() &&
           down.windows[first_open].first + down.windows[first_open].count <= y) {
      ++first_open;
    }
    for (std::size_t output = first_open; output < down.windows.size() && down.windows[output].first <= y;
         ++output) {
      const Window& window = down.windows[output];
      const std::int32_t weight = down.weights[window.weights + static_cast<std::size_t>(y - window.first)];
      std::int32_t* sum = sums.data() + output * stride;
      for (std::size_t i = 0; i < stride; ++i) {
        sum[i] += weight * narrowed[i];
      }
    }
  }
  Image result{rows, columns, std::vector<std::uint8_t>(sums.size())};
  std::ranges::transform(sums, result.pixels.begin(), to_byte);
  return result;
}

void flip_horizontally(Image& image) {
  for (std::int64_t y = 0; y < image.rows; ++y) {
    std::uint8_t* row = image.pixels.data() + y * image.columns * Image::channels;
    for (std::int64_t left = 0, right = image.columns - 1; left < right; ++left, --right) {
      std::swap_ranges(row + left * Image::channels, row + (left + 1) * Image::channels,
                       row + right * Image::channels);
    }
  }
}

}  // namespace pair::data
