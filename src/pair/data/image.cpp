#include "pair/data/image.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <string>

#include "pair/data/image_formats.h"
#include "pair/data/pixel_loops.h"

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

struct Resampling {
  std::vector<PixelWindow> windows;   // one per output pixel; first and last are non-decreasing
  std::vector<std::int32_t> weights;  // in units of 2^-weight_bits
};

// From `length` inputs that begin at `start`.
Resampling bilinear(double start, double length, std::int64_t outputs) {
  Resampling result;
  const double scale = length / static_cast<double>(outputs);
  const auto lowest = static_cast<std::int64_t>(std::floor(start));
  const auto highest = static_cast<std::int64_t>(std::ceil(start + length));
  // When the image shrinks, the triangle is wide enough to cover all inputs.
  const double support = std::max(scale, 1.0);
  std::vector<double> exact;
  for (std::int64_t output = 0; output < outputs; ++output) {
    const double center = start + (static_cast<double>(output) + 0.5) * scale;
    const auto first = std::max(static_cast<std::int64_t>(std::floor(center - support + 0.5)), lowest);
    const auto end = std::min(static_cast<std::int64_t>(std::floor(center + support + 0.5)), highest);
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

void check_side(const char* side, std::int64_t size) {
  if (size < 1 || size > longest_resized_side) {
    throw std::invalid_argument(std::string(side) + " of a resized image: expected 1 to " +
                                std::to_string(longest_resized_side) + ", got " + std::to_string(size));
  }
}

void check_pixels(const Image& image) {
  if (image.rows < 1 || image.columns < 1 ||
      image.pixels.size() != static_cast<std::size_t>(image.rows * image.columns * Image::channels)) {
    throw std::invalid_argument("an image to resize: expected rows * columns * 3 bytes, got " +
                                std::to_string(image.pixels.size()) + " for " + std::to_string(image.rows) +
                                " rows and " + std::to_string(image.columns) + " columns");
  }
}

// The largest number of windows that one input belongs to.
std::size_t most_at_once(std::span<const PixelWindow> windows) {
  std::size_t most = 0;
  std::size_t first_open = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    while (windows[first_open].first + windows[first_open].count <= windows[i].first) {
      ++first_open;
    }
    most = std::max(most, i + 1 - first_open);
  }
  return most;
}

// Each input row is narrowed once and added to all output rows it contributes to. Few of these are open at a
// time, so that their sums stay in the cache.
Image resampled(const Image& image, const Resampling& down, const Resampling& across) {
  constexpr std::int64_t rows_at_once = 8;  // of a large photograph, these stay in the first cache
  const std::size_t stride = across.windows.size() * static_cast<std::size_t>(Image::channels);
  const std::size_t slots = most_at_once(down.windows);
  std::vector<std::uint8_t> narrowed(stride * rows_at_once);
  std::vector<std::int32_t> sums(stride * slots, half_unit);
  Image result{static_cast<std::int64_t>(down.windows.size()),
               static_cast<std::int64_t>(across.windows.size()),
               std::vector<std::uint8_t>(stride * down.windows.size())};
  std::size_t first_open = 0;
  const PixelLoops& loops = pixel_loops();
  const auto add = [&](std::int64_t y, std::span<const std::uint8_t> row) {
    for (std::size_t output = first_open; output < down.windows.size() && down.windows[output].first <= y;
         ++output) {
      const PixelWindow& window = down.windows[output];
      const std::span<std::int32_t> sum = std::span(sums).subspan(output % slots * stride, stride);
      loops.add_row(row, down.weights[window.weights + static_cast<std::size_t>(y - window.first)],
                    sum.data());
      if (y + 1 == window.first + window.count) {
        loops.to_bytes(sum, result.pixels.data() + output * stride);
        std::ranges::fill(sum, half_unit);
        first_open = output + 1;
      }
    }
  };
  const std::int64_t end = down.windows.back().first + down.windows.back().count;
  for (std::int64_t top = down.windows.front().first; top < end; top += rows_at_once) {
    const auto count = static_cast<std::size_t>(std::min(rows_at_once, end - top));
    const auto start = static_cast<std::size_t>(top * image.columns * Image::channels);
    loops.resample_rows(std::span(image.pixels).subspan(start), static_cast<std::size_t>(image.columns),
                        count, across.windows, across.weights, narrowed.data());
    for (std::size_t row = 0; row < count; ++row) {
      add(top + static_cast<std::int64_t>(row), std::span(narrowed).subspan(row * stride, stride));
    }
  }
  return result;
}

}  // namespace

ImagePart part_of(Image image, const CropBox& box) {
  check_box(box, image.rows, image.columns);
  return {std::move(image), static_cast<double>(box.top), static_cast<double>(box.left),
          static_cast<double>(box.rows), static_cast<double>(box.columns)};
}

ImagePart decode_part(BytesView file, const ChoosePart& choose, const ImageLimits& limits) {
  if (begins_with(file, jpeg_start)) {
    return decode_jpeg_part(file, choose, limits);
  }
  Image image = decode_image(file, limits);
  const CropBox box = choose(image.rows, image.columns).box;
  return part_of(std::move(image), box);
}

void check_box(const CropBox& box, std::int64_t rows, std::int64_t columns) {
  if (box.top < 0 || box.left < 0 || box.rows < 1 || box.columns < 1 || box.rows > rows - box.top ||
      box.columns > columns - box.left) {
    throw std::invalid_argument("a crop: expected a part of " + std::to_string(rows) + " rows and " +
                                std::to_string(columns) + " columns, got " + std::to_string(box.rows) +
                                " x " + std::to_string(box.columns) + " at " + std::to_string(box.top) +
                                ", " + std::to_string(box.left));
  }
}

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
  check_pixels(image);
  if (image.rows == rows && image.columns == columns) {
    return image;
  }
  return resampled(image, bilinear(0.0, static_cast<double>(image.rows), rows),
                   bilinear(0.0, static_cast<double>(image.columns), columns));
}

Image resized(const ImagePart& part, std::int64_t rows, std::int64_t columns) {
  check_side("rows", rows);
  check_side("columns", columns);
  check_pixels(part.image);
  const auto within = [](double start, double length, std::int64_t size) {
    return start >= 0.0 && length > 0.0 && start + length <= static_cast<double>(size);
  };
  if (!within(part.top, part.rows, part.image.rows) || !within(part.left, part.columns, part.image.columns)) {
    throw std::invalid_argument("a part to resize: expected one within its image, got another");
  }
  return resampled(part.image, bilinear(part.top, part.rows, rows),
                   bilinear(part.left, part.columns, columns));
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
