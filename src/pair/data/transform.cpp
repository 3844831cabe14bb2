#include "pair/data/transform.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "pair/base/numbers.h"

// The arithmetic is Pillow's (Blend.c, Convert.c), in its precision.

namespace pair::data {
namespace {

// Pillow's ITU-R 601-2 luma.
std::uint8_t luma(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>((pixel[0] * 19595U + pixel[1] * 38470U + pixel[2] * 7471U + 0x8000U) >>
                                   16U);
}

// Image.blend of one byte: from + factor * (to - from), cut off.
std::uint8_t blended(int from, int to, float factor) {
  const float mixed = static_cast<float>(from) + factor * static_cast<float>(to - from);
  return mixed <= 0.0F ? 0 : mixed >= 255.0F ? 255 : static_cast<std::uint8_t>(mixed);
}

void check_factor(const char* name, double factor) {
  constexpr double most = 1e6;
  if (!(factor >= 0.0 && factor <= most)) {
    throw std::invalid_argument(std::string(name) + ": expected a factor from 0 to 1e6, got " +
                                base::shown(factor));
  }
}

struct Hsv {
  std::uint8_t hue = 0;
  std::uint8_t saturation = 0;
  std::uint8_t value = 0;
};

Hsv to_hsv(const std::uint8_t* pixel) {
  const int red = pixel[0];
  const int green = pixel[1];
  const int blue = pixel[2];
  const int high = std::max({red, green, blue});
  const int low = std::min({red, green, blue});
  Hsv hsv{0, 0, static_cast<std::uint8_t>(high)};
  if (high == low) {
    return hsv;
  }
  const auto range = static_cast<float>(high - low);
  const float saturation = range / static_cast<float>(high);
  const float from_red = static_cast<float>(high - red) / range;
  const float from_green = static_cast<float>(high - green) / range;
  const float from_blue = static_cast<float>(high - blue) / range;
  float hue = 0.0F;
  if (red == high) {
    hue = from_blue - from_green;
  } else if (green == high) {
    hue = static_cast<float>(2.0 + static_cast<double>(from_red) - static_cast<double>(from_blue));
  } else {
    hue = static_cast<float>(4.0 + static_cast<double>(from_green) - static_cast<double>(from_red));
  }
  hue = static_cast<float>(std::fmod(static_cast<double>(hue) / 6.0 + 1.0, 1.0));
  const auto byte = [](float share) {
    return static_cast<std::uint8_t>(
        std::clamp(static_cast<int>(static_cast<double>(share) * 255.0), 0, 255));
  };
  hsv.hue = byte(hue);
  hsv.saturation = byte(saturation);
  return hsv;
}

void from_hsv(const Hsv& hsv, std::uint8_t* pixel) {
  const std::uint8_t value = hsv.value;
  if (hsv.saturation == 0) {
    std::fill_n(pixel, 3, value);
    return;
  }
  const double sixth = static_cast<double>(static_cast<float>(hsv.hue)) * 6.0 / 255.0;
  const int sector = static_cast<int>(std::floor(sixth));
  const auto rest = static_cast<float>(sixth - static_cast<double>(static_cast<float>(sector)));
  const auto saturation = static_cast<float>(static_cast<double>(hsv.saturation) / 255.0);
  const auto byte = [value](double share) {
    return static_cast<std::uint8_t>(std::clamp(static_cast<int>(std::round(value * share)), 0, 255));
  };
  const auto s = static_cast<double>(saturation);
  const auto f = static_cast<double>(rest);
  // fs * f is a product of floats in Pillow.
  const std::uint8_t p = byte(1.0 - s);
  const std::uint8_t q = byte(1.0 - static_cast<double>(saturation * rest));
  const std::uint8_t t = byte(1.0 - s * (1.0 - f));
  const std::array<std::array<std::uint8_t, 3>, 6> sectors{
      {{value, t, p}, {q, value, p}, {p, value, t}, {p, q, value}, {t, p, value}, {value, p, q}}};
  std::ranges::copy(sectors[static_cast<std::size_t>(sector % 6)], pixel);
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
  if (box.top < 0 || box.left < 0 || box.rows < 1 || box.columns < 1 || box.rows > image.rows - box.top ||
      box.columns > image.columns - box.left) {
    throw std::invalid_argument("a crop: expected a part of " + std::to_string(image.rows) + " rows and " +
                                std::to_string(image.columns) + " columns, got " + std::to_string(box.rows) +
                                " x " + std::to_string(box.columns) + " at " + std::to_string(box.top) +
                                ", " + std::to_string(box.left));
  }
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
  for (std::uint8_t& byte : image.pixels) {
    byte = blended(0, byte, static_cast<float>(factor));
  }
}

void adjust_contrast(Image& image, double factor) {
  check_factor("contrast", factor);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    sum += luma(image.pixels.data() + i);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(image.pixels.size() / 3, 1));
  const int mean = static_cast<int>(static_cast<double>(sum) / count + 0.5);
  for (std::uint8_t& byte : image.pixels) {
    byte = blended(mean, byte, static_cast<float>(factor));
  }
}

void adjust_saturation(Image& image, double factor) {
  check_factor("saturation", factor);
  for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    const std::uint8_t grey = luma(image.pixels.data() + i);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      image.pixels[i + channel] = blended(grey, image.pixels[i + channel], static_cast<float>(factor));
    }
  }
}

void adjust_hue(Image& image, double turn) {
  if (!(turn >= -0.5 && turn <= 0.5)) {
    throw std::invalid_argument("hue: expected a turn from -0.5 to 0.5, got " + base::shown(turn));
  }
  const auto added = static_cast<std::uint8_t>(static_cast<int>(turn * 255.0));
  for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    Hsv hsv = to_hsv(image.pixels.data() + i);
    hsv.hue = static_cast<std::uint8_t>(hsv.hue + added);
    from_hsv(hsv, image.pixels.data() + i);
  }
}

void to_grey(Image& image) {
  for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    std::fill_n(image.pixels.data() + i, 3, luma(image.pixels.data() + i));
  }
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

Image augmented(const Image& image, std::int64_t rows, std::int64_t columns, const DrawnAugmentation& drawn) {
  Image result = resized_crop(image, drawn.crop, rows, columns);
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
  return result;
}

}  // namespace pair::data
