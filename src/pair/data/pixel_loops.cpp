#include "pair/data/pixel_loops.h"

#include <algorithm>

// The arithmetic is Pillow's (Resample.c, Blend.c, Convert.c), in its precision. No loop may depend on the
// compiler to contract a product and a sum: neither form is compiled for processors with fused operations.

namespace pair::data {
namespace {

// Each loop is a function that is inlined into both forms.
struct Loops {
  [[gnu::always_inline]] static std::uint8_t byte_of(std::int32_t sum) {
    return static_cast<std::uint8_t>(std::clamp(sum >> weight_bits, 0, 255));
  }

  [[gnu::always_inline]] static unsigned luma(const std::uint8_t* pixel) {
    return (pixel[0] * 19595U + pixel[1] * 38470U + pixel[2] * 7471U + 0x8000U) >> 16U;
  }

  [[gnu::always_inline]] static void resample_row(const std::uint8_t* row,
                                                  std::span<const PixelWindow> windows,
                                                  const std::int32_t* weights, std::uint8_t* out) {
    for (const PixelWindow& window : windows) {
      const std::int32_t* weight = weights + window.weights;
      const std::uint8_t* input = row + window.first * 3;
      std::int32_t red = half_unit;
      std::int32_t green = half_unit;
      std::int32_t blue = half_unit;
      for (std::int64_t i = 0; i < window.count; ++i) {
        red += weight[i] * input[i * 3];
        green += weight[i] * input[i * 3 + 1];
        blue += weight[i] * input[i * 3 + 2];
      }
      *out++ = byte_of(red);
      *out++ = byte_of(green);
      *out++ = byte_of(blue);
    }
  }

  [[gnu::always_inline]] static void add_row(std::span<const std::uint8_t> row, std::int32_t weight,
                                             std::int32_t* sums) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      sums[i] += weight * row[i];
    }
  }

  [[gnu::always_inline]] static void to_bytes(std::span<const std::int32_t> sums, std::uint8_t* bytes) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      bytes[i] = byte_of(sums[i]);
    }
  }

  [[gnu::always_inline]] static void to_planes(const std::uint8_t* pixels, std::size_t count,
                                               std::uint8_t* planes) {
    for (std::size_t i = 0; i < count; ++i) {
      planes[i] = pixels[3 * i];
      planes[count + i] = pixels[3 * i + 1];
      planes[2 * count + i] = pixels[3 * i + 2];
    }
  }

  [[gnu::always_inline]] static std::uint64_t sum_of_greys(std::span<const std::uint8_t> pixels) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 2 < pixels.size(); i += 3) {
      sum += luma(pixels.data() + i);
    }
    return sum;
  }

  [[gnu::always_inline]] static void to_grey(std::span<std::uint8_t> pixels) {
    for (std::size_t i = 0; i + 2 < pixels.size(); i += 3) {
      const auto grey = static_cast<std::uint8_t>(luma(pixels.data() + i));
      pixels[i] = grey;
      pixels[i + 1] = grey;
      pixels[i + 2] = grey;
    }
  }

  [[gnu::always_inline]] static void away_from_grey(std::span<std::uint8_t> pixels, float factor) {
    for (std::size_t i = 0; i + 2 < pixels.size(); i += 3) {
      const int grey = static_cast<int>(luma(pixels.data() + i));
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const float mixed =
            static_cast<float>(grey) + factor * static_cast<float>(pixels[i + channel] - grey);
        pixels[i + channel] =
            static_cast<std::uint8_t>(static_cast<int>(std::min(std::max(mixed, 0.0F), 255.0F)));
      }
    }
  }

  [[gnu::always_inline]] static void map(std::span<std::uint8_t> bytes,
                                         const std::array<std::uint8_t, 256>& table) {
    for (std::uint8_t& byte : bytes) {
      byte = table[byte];
    }
  }

  // Half away from zero, for numbers that are not negative.
  [[gnu::always_inline]] static int rounded(double number) {
    const int below = static_cast<int>(number);
    return below + (number - below >= 0.5 ? 1 : 0);
  }

  // Pixels at a time, in loops without branches, which the compiler can vectorise.
  static constexpr std::size_t block = 128;
  template <class Number>
  using Block = std::array<Number, block>;

  [[gnu::always_inline]] static void turn_hue(std::span<std::uint8_t> pixels, std::uint8_t turn) {
    for (std::size_t first = 0; first + 2 < pixels.size(); first += 3 * block) {
      turn_block(pixels.data() + first, std::min(block, (pixels.size() - first) / 3), turn);
    }
  }

  [[gnu::always_inline]] static void turn_block(std::uint8_t* pixels, std::size_t count, std::uint8_t turn) {
    Block<std::int32_t> red{};
    Block<std::int32_t> green{};
    Block<std::int32_t> blue{};
    for (std::size_t i = 0; i < count; ++i) {
      red[i] = pixels[3 * i];
      green[i] = pixels[3 * i + 1];
      blue[i] = pixels[3 * i + 2];
    }
    Block<std::int32_t> high;  // the value
    Block<std::int32_t> hue;
    Block<std::int32_t> saturation;
    for (std::size_t i = 0; i < block; ++i) {
      high[i] = std::max(std::max(red[i], green[i]), blue[i]);
      const std::int32_t low = std::min(std::min(red[i], green[i]), blue[i]);
      // A grey gets the hue and the saturation 0.
      const auto range = static_cast<float>(std::max(high[i] - low, 1));
      saturation[i] = static_cast<std::int32_t>(
          static_cast<double>(static_cast<float>(high[i] - low) / static_cast<float>(std::max(high[i], 1))) *
          255.0);
      const float from_red = static_cast<float>(high[i] - red[i]) / range;
      const float from_green = static_cast<float>(high[i] - green[i]) / range;
      const float from_blue = static_cast<float>(high[i] - blue[i]) / range;
      const float if_red = from_blue - from_green;
      const auto if_green =
          static_cast<float>(2.0 + static_cast<double>(from_red) - static_cast<double>(from_blue));
      const auto if_blue =
          static_cast<float>(4.0 + static_cast<double>(from_green) - static_cast<double>(from_red));
      const float sixths = red[i] == high[i] ? if_red : green[i] == high[i] ? if_green : if_blue;
      // Of 0.8 to 1.9, the part behind the point.
      double share = static_cast<double>(sixths) / 6.0 + 1.0;
      share = share >= 1.0 ? share - 1.0 : share;
      hue[i] = static_cast<std::int32_t>(static_cast<double>(static_cast<float>(share)) * 255.0);
    }
    // And back.
    Block<std::int32_t> sector;
    Block<std::int32_t> p;
    Block<std::int32_t> q;
    Block<std::int32_t> t;
    for (std::size_t i = 0; i < block; ++i) {
      const std::int32_t turned = (hue[i] + turn) & 255;
      const double sixth = static_cast<double>(turned) * 6.0 / 255.0;
      sector[i] = static_cast<std::int32_t>(sixth);
      const auto rest = static_cast<float>(sixth - static_cast<double>(static_cast<float>(sector[i])));
      const auto share = static_cast<float>(static_cast<double>(saturation[i]) / 255.0);
      const auto s = static_cast<double>(share);
      const auto f = static_cast<double>(rest);
      const auto value = static_cast<double>(high[i]);
      p[i] = rounded(value * (1.0 - s));
      // fs * f is a product of floats in Pillow.
      q[i] = rounded(value * (1.0 - static_cast<double>(share * rest)));
      t[i] = rounded(value * (1.0 - s * (1.0 - f)));
    }
    for (std::size_t i = 0; i < count; ++i) {
      // With a saturation of 0, all are the value.
      const std::array<std::int32_t, 4> found{high[i], p[i], q[i], t[i]};
      const std::array<std::uint8_t, 3>& places = sectors[static_cast<std::size_t>(sector[i])];
      for (std::size_t channel = 0; channel < 3; ++channel) {
        pixels[3 * i + channel] = static_cast<std::uint8_t>(found[places[channel]]);
      }
    }
  }

  // For each sector of the circle, the places of red, green and blue in (value, p, q, t).
  static constexpr std::array<std::array<std::uint8_t, 3>, 7> sectors{
      {{0, 3, 1}, {2, 0, 1}, {1, 0, 3}, {1, 2, 0}, {3, 1, 0}, {0, 1, 2}, {0, 3, 1}}};
};

constexpr PixelLoops plain{
    [](const std::uint8_t* row, std::span<const PixelWindow> windows, const std::int32_t* weights,
       std::uint8_t* out) { Loops::resample_row(row, windows, weights, out); },
    [](std::span<const std::uint8_t> row, std::int32_t weight, std::int32_t* sums) {
      Loops::add_row(row, weight, sums);
    },
    [](std::span<const std::int32_t> sums, std::uint8_t* bytes) { Loops::to_bytes(sums, bytes); },
    [](const std::uint8_t* pixels, std::size_t count, std::uint8_t* planes) {
      Loops::to_planes(pixels, count, planes);
    },
    [](std::span<const std::uint8_t> pixels) { return Loops::sum_of_greys(pixels); },
    [](std::span<std::uint8_t> pixels) { Loops::to_grey(pixels); },
    [](std::span<std::uint8_t> pixels, float factor) { Loops::away_from_grey(pixels, factor); },
    [](std::span<std::uint8_t> bytes, const std::array<std::uint8_t, 256>& table) {
      Loops::map(bytes, table);
    },
    [](std::span<std::uint8_t> pixels, std::uint8_t turn) { Loops::turn_hue(pixels, turn); }};

#if defined(__x86_64__)

struct WideLoops {
  [[gnu::target("avx2")]] static void resample_row(const std::uint8_t* row,
                                                   std::span<const PixelWindow> windows,
                                                   const std::int32_t* weights, std::uint8_t* out) {
    Loops::resample_row(row, windows, weights, out);
  }
  [[gnu::target("avx2")]] static void add_row(std::span<const std::uint8_t> row, std::int32_t weight,
                                              std::int32_t* sums) {
    Loops::add_row(row, weight, sums);
  }
  [[gnu::target("avx2")]] static void to_bytes(std::span<const std::int32_t> sums, std::uint8_t* bytes) {
    Loops::to_bytes(sums, bytes);
  }
  [[gnu::target("avx2")]] static void to_planes(const std::uint8_t* pixels, std::size_t count,
                                                std::uint8_t* planes) {
    Loops::to_planes(pixels, count, planes);
  }
  [[gnu::target("avx2")]] static std::uint64_t sum_of_greys(std::span<const std::uint8_t> pixels) {
    return Loops::sum_of_greys(pixels);
  }
  [[gnu::target("avx2")]] static void to_grey(std::span<std::uint8_t> pixels) { Loops::to_grey(pixels); }
  [[gnu::target("avx2")]] static void away_from_grey(std::span<std::uint8_t> pixels, float factor) {
    Loops::away_from_grey(pixels, factor);
  }
  [[gnu::target("avx2")]] static void turn_hue(std::span<std::uint8_t> pixels, std::uint8_t turn) {
    Loops::turn_hue(pixels, turn);
  }
};

constexpr PixelLoops wide{
    WideLoops::resample_row, WideLoops::add_row, WideLoops::to_bytes,       WideLoops::to_planes,
    WideLoops::sum_of_greys, WideLoops::to_grey, WideLoops::away_from_grey, plain.map,
    WideLoops::turn_hue};

bool has_wide() {
  return __builtin_cpu_supports("avx2") != 0;
}

#else

constexpr const PixelLoops& wide = plain;

bool has_wide() {
  return false;
}

#endif

}  // namespace

const PixelLoops& pixel_loops() {
  static const bool chosen = has_wide();
  return chosen ? wide : plain;
}

const PixelLoops& plain_pixel_loops() {
  return plain;
}

}  // namespace pair::data
