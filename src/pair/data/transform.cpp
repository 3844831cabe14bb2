#include "pair/data/transform.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "pair/base/numbers.h"
#include "pair/data/image_formats.h"
#include "pair/data/pixel_loops.h"

// The arithmetic is Pillow's (Blend.c, and pixel_loops.h), in its precision.

namespace pair::data {
namespace {

void check_factor(const char* name, double factor) {
  constexpr double most = 1e6;
  if (!(factor >= 0.0 && factor <= most)) {
    throw std::invalid_argument(std::string(name) + ": expected a factor from 0 to 1e6, got " +
                                base::shown(factor));
  }
}

// Half to even, as Python's round.
std::int64_t rounded_half_even(double value) {
  return static_cast<std::int64_t>(std::nearbyint(value));
}

// torchvision's RandomResizedCrop.get_params.
CropBox draw_crop(double least_area, std::int64_t rows, std::int64_t columns,
                  const std::function<double()>& uniform) {
  constexpr double narrowest = 3.0 / 4.0;
  constexpr double widest = 4.0 / 3.0;
  constexpr int tries = 10;
  const auto area = static_cast<double>(rows) * static_cast<double>(columns);
  for (int i = 0; i < tries; ++i) {
    const double target = area * (least_area + (1.0 - least_area) * uniform());
    const double ratio = std::exp(std::log(narrowest) + (std::log(widest) - std::log(narrowest)) * uniform());
    const std::int64_t width = rounded_half_even(std::sqrt(target * ratio));
    const std::int64_t height = rounded_half_even(std::sqrt(target / ratio));
    if (width > 0 && width <= columns && height > 0 && height <= rows) {
      const auto below = [&uniform](std::int64_t count) {
        return static_cast<std::int64_t>(uniform() * static_cast<double>(count));
      };
      const std::int64_t top = below(rows - height + 1);
      return {top, below(columns - width + 1), height, width};
    }
  }
  const double ratio = static_cast<double>(columns) / static_cast<double>(rows);
  std::int64_t width = columns;
  std::int64_t height = rows;
  if (ratio < narrowest) {
    height = std::min(rows, rounded_half_even(static_cast<double>(width) / narrowest));
  } else if (ratio > widest) {
    width = std::min(columns, rounded_half_even(static_cast<double>(height) * widest));
  }
  return {(rows - height) / 2, (columns - width) / 2, height, width};
}

void check_augmentation(const Augmentation& augmentation) {
  const auto check = [](const char* name, double value, double most) {
    if (!(value >= 0.0 && value <= most)) {
      throw std::invalid_argument(std::string(name) + ": expected a number from 0 to " + base::shown(most) +
                                  ", got " + base::shown(value));
    }
  };
  if (!(augmentation.crop_area > 0.0 && augmentation.crop_area <= 1.0)) {
    throw std::invalid_argument("crop_area: expected a number above 0 and up to 1, got " +
                                base::shown(augmentation.crop_area));
  }
  check("brightness", augmentation.brightness, 1.0);
  check("contrast", augmentation.contrast, 1.0);
  check("saturation", augmentation.saturation, 1.0);
  check("hue", augmentation.hue, 0.5);
  check("grey", augmentation.grey, 1.0);
}

}  // namespace

Image cropped(const Image& image, const CropBox& box) {
  check_box(box, image.rows, image.columns);
  Image part{box.rows, box.columns, {}};
  const auto stride = static_cast<std::size_t>(box.columns * Image::channels);
  part.pixels.resize(static_cast<std::size_t>(box.rows) * stride);
  for (std::int64_t y = 0; y < box.rows; ++y) {
    const std::uint8_t* const row =
        image.pixels.data() + ((box.top + y) * image.columns + box.left) * Image::channels;
    std::copy_n(row, stride, part.pixels.begin() + y * static_cast<std::int64_t>(stride));
  }
  return part;
}

Image resized_crop(const Image& image, const CropBox& box, std::int64_t rows, std::int64_t columns) {
  const bool whole = box == CropBox{0, 0, image.rows, image.columns};
  return whole ? resized(image, rows, columns) : resized(cropped(image, box), rows, columns);
}

void adjust_brightness(Image& image, double factor) {
  check_factor("brightness", factor);
  pixel_loops().away_from_level(image.pixels, 0, static_cast<float>(factor));
}

void adjust_contrast(Image& image, double factor) {
  check_factor("contrast", factor);
  const auto sum = static_cast<double>(pixel_loops().sum_of_greys(image.pixels));
  const auto count = static_cast<double>(std::max<std::size_t>(image.pixels.size() / 3, 1));
  const auto mean = static_cast<int>(sum / count + 0.5);  // NOLINT(bugprone-incorrect-roundings): as Pillow
  pixel_loops().away_from_level(image.pixels, mean, static_cast<float>(factor));
}

void adjust_saturation(Image& image, double factor) {
  check_factor("saturation", factor);
  pixel_loops().away_from_grey(image.pixels, static_cast<float>(factor));
}

void adjust_hue(Image& image, double turn) {
  if (!(turn >= -0.5 && turn <= 0.5)) {
    throw std::invalid_argument("hue: expected a turn from -0.5 to 0.5, got " + base::shown(turn));
  }
  pixel_loops().turn_hue(image.pixels, static_cast<std::uint8_t>(static_cast<int>(turn * 255.0)));
}

void to_grey(Image& image) {
  pixel_loops().to_grey(image.pixels);
}

DrawnAugmentation draw_augmentation(const Augmentation& augmentation, std::int64_t rows, std::int64_t columns,
                                    const std::function<double()>& uniform) {
  check_augmentation(augmentation);
  DrawnAugmentation drawn;
  drawn.crop = augmentation.crop_area < 1.0 ? draw_crop(augmentation.crop_area, rows, columns, uniform)
                                            : CropBox{0, 0, rows, columns};
  drawn.jitter = augmentation.brightness > 0.0 || augmentation.contrast > 0.0 ||
                 augmentation.saturation > 0.0 || augmentation.hue > 0.0;
  if (drawn.jitter) {
    for (std::size_t i = drawn.order.size(); i > 1; --i) {
      std::swap(drawn.order[i - 1],
                drawn.order[static_cast<std::size_t>(uniform() * static_cast<double>(i))]);
    }
    const auto around = [&uniform](double center, double reach) {
      const double low = std::max(center - reach, center == 0.0 ? -reach : 0.0);
      return low + (center + reach - low) * uniform();
    };
    drawn.factors = {around(1.0, augmentation.brightness), around(1.0, augmentation.contrast),
                     around(1.0, augmentation.saturation), around(0.0, augmentation.hue)};
  }
  drawn.grey = uniform() < augmentation.grey;
  return drawn;
}

namespace {

// All steps after the crop.
void finish_augmentation(Image& result, const DrawnAugmentation& drawn) {
  if (drawn.flip) {
    flip_horizontally(result);
  }
  if (drawn.jitter) {
    using Step = DrawnAugmentation::Step;
    for (const Step step : drawn.order) {
      const double factor = drawn.factors[static_cast<std::size_t>(step)];
      switch (step) {
        case Step::brightness:
          adjust_brightness(result, factor);
          break;
        case Step::contrast:
          adjust_contrast(result, factor);
          break;
        case Step::saturation:
          adjust_saturation(result, factor);
          break;
        case Step::hue:
          adjust_hue(result, factor);
          break;
      }
    }
  }
  if (drawn.grey) {
    to_grey(result);
  }
}

}  // namespace

Image augmented(const Image& image, std::int64_t rows, std::int64_t columns, const DrawnAugmentation& drawn) {
  Image result = resized_crop(image, drawn.crop, rows, columns);
  finish_augmentation(result, drawn);
  return result;
}

Image augmented(const ImagePart& crop, std::int64_t rows, std::int64_t columns,
                const DrawnAugmentation& drawn) {
  Image result = resized(crop, rows, columns);
  finish_augmentation(result, drawn);
  return result;
}

}  // namespace pair::data
