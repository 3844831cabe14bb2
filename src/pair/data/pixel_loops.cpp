#include "pair/data/pixel_loops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>

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

  // The pixel of one row that a window gives.
  [[gnu::always_inline]] static void resample_pixel(const std::uint8_t* row, const PixelWindow& window,
                                                    const std::int32_t* weight, std::uint8_t* out) {
    const std::uint8_t* input = row + window.first * 3;
    std::int32_t red = half_unit;
    std::int32_t green = half_unit;
    std::int32_t blue = half_unit;
    for (std::int64_t i = 0; i < window.count; ++i) {
      red += weight[i] * input[i * 3];
      green += weight[i] * input[i * 3 + 1];
      blue += weight[i] * input[i * 3 + 2];
    }
    out[0] = byte_of(red);
    out[1] = byte_of(green);
    out[2] = byte_of(blue);
  }

  static void resample_rows(std::span<const std::uint8_t> pixels, std::size_t columns, std::size_t count,
                            std::span<const PixelWindow> windows, std::span<const std::int32_t> weights,
                            std::uint8_t* out) {
    for (std::size_t row = 0; row < count; ++row) {
      for (const PixelWindow& window : windows) {
        resample_pixel(pixels.data() + row * columns * 3, window, weights.data() + window.weights, out);
        out += 3;
      }
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

  [[gnu::always_inline]] static void away_from_level(std::span<std::uint8_t> bytes, int level, float factor) {
    for (std::uint8_t& byte : bytes) {
      const float mixed = static_cast<float>(level) + factor * static_cast<float>(byte - level);
      byte = static_cast<std::uint8_t>(static_cast<int>(std::min(std::max(mixed, 0.0F), 255.0F)));
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
    [](std::span<const std::uint8_t> pixels, std::size_t columns, std::size_t count,
       std::span<const PixelWindow> windows, std::span<const std::int32_t> weights,
       std::uint8_t* out) { Loops::resample_rows(pixels, columns, count, windows, weights, out); },
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
    [](std::span<std::uint8_t> bytes, int level, float factor) {
      Loops::away_from_level(bytes, level, factor);
    },
    [](std::span<std::uint8_t> pixels, std::uint8_t turn) { Loops::turn_hue(pixels, turn); }};

#if defined(__x86_64__)

struct WideLoops {
  // Products of bytes and 22-bit weights are too large for 16-bit multipliers. So a weight is split, exactly,
  // into two parts of 11 bits.
  static constexpr int low_bits = weight_bits / 2;
  static constexpr std::int64_t taps = 4;  // input pixels per group
  static constexpr std::int64_t group_bytes = 3 * taps;
  static constexpr std::int64_t most_groups = 16;  // of a window; longer ones are rare
  static constexpr std::int64_t bytes_read = 16;   // per group, 4 more than it needs

  // The parts of four weights, (0, 1) four times and (2, 3) four times, in 16 bits.
  struct Weights {
    __m256i high;
    __m256i low;
  };

  [[gnu::target("avx2")]] static Weights split(const std::int32_t* weight, std::int64_t count) {
    alignas(16) std::array<std::int32_t, 4> four{};
    std::copy_n(weight, std::min(count, taps), four.begin());
    const __m128i all = _mm_load_si128(reinterpret_cast<const __m128i*>(four.data()));
    const __m128i high = _mm_srli_epi32(all, low_bits);
    const __m128i low = _mm_and_si128(all, _mm_set1_epi32((1 << low_bits) - 1));
    const __m256i places = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    return {_mm256_permutevar8x32_epi32(_mm256_castsi128_si256(_mm_packs_epi32(high, high)), places),
            _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(_mm_packs_epi32(low, low)), places)};
  }

  // Window by window, so that its weights are split once for all rows.
  [[gnu::target("avx2")]] static void resample_rows(std::span<const std::uint8_t> pixels, std::size_t columns,
                                                    std::size_t count, std::span<const PixelWindow> windows,
                                                    std::span<const std::int32_t> weights,
                                                    std::uint8_t* out) {
    // From the four pixels of a group: red of 0 and 1, green of 0 and 1, blue of 0 and 1, nothing; the same
    // for 2 and 3. Each becomes 16 bits; -1 gives 0.
    const __m256i spread = _mm256_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1,  //
                                            6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
    const std::size_t row_bytes = columns * 3;
    const std::size_t out_bytes = windows.size() * 3;
    std::array<Weights, most_groups> parts;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    for (const PixelWindow& window : windows) {
      const std::int64_t groups = (window.count + taps - 1) / taps;
      const std::int32_t* const weight = weights.data() + window.weights;
      const std::size_t end_of_reading =
          (count - 1) * row_bytes +
          static_cast<std::size_t>(window.first * 3 + (groups - 1) * group_bytes + bytes_read);
      const bool fits = groups <= most_groups && end_of_reading <= pixels.size();
      if (fits) {
        for (std::int64_t group = 0; group < groups; ++group) {
          parts[static_cast<std::size_t>(group)] = split(weight + group * taps, window.count - group * taps);
        }
      }
      for (std::size_t row = 0; row < count; ++row) {
        const std::uint8_t* const input = pixels.data() + row * row_bytes;
        std::uint8_t* const pixel = out + row * out_bytes;
        if (!fits) {
          Loops::resample_pixel(input, window, weight, pixel);
          continue;
        }
        const std::uint8_t* four = input + window.first * 3;
        __m256i high = _mm256_setzero_si256();
        __m256i low = _mm256_setzero_si256();
        for (std::int64_t group = 0; group < groups; ++group, four += group_bytes) {
          const __m256i channels = _mm256_shuffle_epi8(
              _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(four))), spread);
          const Weights& by = parts[static_cast<std::size_t>(group)];
          high = _mm256_add_epi32(high, _mm256_madd_epi16(channels, by.high));
          low = _mm256_add_epi32(low, _mm256_madd_epi16(channels, by.low));
        }
        const __m256i both = _mm256_add_epi32(_mm256_slli_epi32(high, low_bits), low);
        const __m128i sum =
            _mm_add_epi32(_mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1)),
                          _mm_set1_epi32(half_unit));
        const __m128i words = _mm_packs_epi32(_mm_srai_epi32(sum, weight_bits), _mm_setzero_si128());
        const auto bytes = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
        pixel[0] = static_cast<std::uint8_t>(bytes);
        pixel[1] = static_cast<std::uint8_t>(bytes >> 8U);
        pixel[2] = static_cast<std::uint8_t>(bytes >> 16U);
      }
      out += 3;
    }
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
  [[gnu::target("avx2")]] static void away_from_level(std::span<std::uint8_t> bytes, int level,
                                                      float factor) {
    Loops::away_from_level(bytes, level, factor);
  }
  // Eight pixels at a time: compilers do not vectorise this by themselves.
  using Bytes = std::uint8_t __attribute__((vector_size(16)));
  using Ints = std::int32_t __attribute__((vector_size(32)));
  using Floats = float __attribute__((vector_size(32)));
  using FourDoubles = double __attribute__((vector_size(32)));
  struct Doubles {
    FourDoubles first;
    FourDoubles last;

    [[gnu::target("avx2"), gnu::always_inline]] friend Doubles operator*(const Doubles& a, const Doubles& b) {
      return {a.first * b.first, a.last * b.last};
    }
    [[gnu::target("avx2"), gnu::always_inline]] friend Doubles operator*(const Doubles& a, double b) {
      return {a.first * b, a.last * b};
    }
    [[gnu::target("avx2"), gnu::always_inline]] friend Doubles operator/(const Doubles& a, double b) {
      return {a.first / b, a.last / b};
    }
    [[gnu::target("avx2"), gnu::always_inline]] friend Doubles operator+(const Doubles& a, double b) {
      return {a.first + b, a.last + b};
    }
    [[gnu::target("avx2"), gnu::always_inline]] friend Doubles operator-(double a, const Doubles& b) {
      return {a - b.first, a - b.last};
    }
    [[gnu::target("avx2"), gnu::always_inline]] friend Doubles operator-(const Doubles& a, const Doubles& b) {
      return {a.first - b.first, a.last - b.last};
    }
  };

  // By intrinsics: the compiler's own conversions go through memory.
  [[gnu::target("avx2"), gnu::always_inline]] static Floats floats(const Ints& numbers) {
    return _mm256_cvtepi32_ps(reinterpret_cast<__m256i>(numbers));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Floats floats(const Doubles& numbers) {
    return _mm256_set_m128(_mm256_cvtpd_ps(numbers.last), _mm256_cvtpd_ps(numbers.first));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Doubles doubles(const Ints& numbers) {
    const auto all = reinterpret_cast<__m256i>(numbers);
    return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(all)),
            _mm256_cvtepi32_pd(_mm256_extracti128_si256(all, 1))};
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Doubles doubles(const Floats& numbers) {
    return {_mm256_cvtps_pd(_mm256_castps256_ps128(numbers)),
            _mm256_cvtps_pd(_mm256_extractf128_ps(numbers, 1))};
  }
  [[gnu::target("avx2"), gnu::always_inline]] static Ints truncated(const Doubles& numbers) {
    return reinterpret_cast<Ints>(
        _mm256_set_m128i(_mm256_cvttpd_epi32(numbers.last), _mm256_cvttpd_epi32(numbers.first)));
  }
  // Half away from zero, for numbers that are not negative.
  [[gnu::target("avx2"), gnu::always_inline]] static Ints rounded(const Doubles& numbers) {
    const Ints below = truncated(numbers);
    return below + truncated((numbers - doubles(below)) * 2.0);
  }
  // Numbers from about 0.8 to 1.9, less 1 if they reach it.
  [[gnu::target("avx2"), gnu::always_inline]] static FourDoubles behind_the_point(
      const FourDoubles& numbers) {
    return numbers >= 1.0 ? numbers - 1.0 : numbers;
  }

  [[gnu::target("avx2")]] static void turn_hue(std::span<std::uint8_t> pixels, std::uint8_t turn) {
    constexpr std::size_t half = 12;  // bytes of four pixels
    constexpr std::size_t used = 2 * half;
    constexpr std::size_t readable = half + sizeof(Bytes);
    std::size_t place = 0;
    for (; place + readable <= pixels.size(); place += used) {
      turn_eight(pixels.data() + place, turn);
    }
    std::array<std::uint8_t, readable> rest{};
    for (; place < pixels.size(); place += used) {
      const std::size_t count = std::min(used, pixels.size() - place);
      std::copy_n(pixels.data() + place, count, rest.data());
      turn_eight(rest.data(), turn);
      std::copy_n(rest.data(), count, pixels.data() + place);
    }
  }

  // The arithmetic of Loops::turn_block. Reads 28 bytes and writes 24.
  [[gnu::target("avx2"), gnu::always_inline]] static void turn_eight(std::uint8_t* pixels,
                                                                     std::uint8_t turn) {
    const __m256i apart = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,  //
                                           0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const auto words = reinterpret_cast<Ints>(
        _mm256_shuffle_epi8(_mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(pixels + 12),
                                                reinterpret_cast<const __m128i*>(pixels)),
                            apart));
    Ints red = words & 255;
    Ints green = (words >> 8) & 255;
    Ints blue = words >> 16;

    Ints high = red > green ? red : green;  // the value
    high = high > blue ? high : blue;
    Ints low = red < green ? red : green;
    low = low < blue ? low : blue;
    const Ints range = high - low;
    const Floats divisor = floats(range - Ints(range == 0));
    const Floats whole = floats(high - Ints(high == 0));
    const Ints saturation = truncated(doubles(floats(range) / whole) * 255.0);
    const Floats from_red = floats(high - red) / divisor;
    const Floats from_green = floats(high - green) / divisor;
    const Floats from_blue = floats(high - blue) / divisor;
    const Doubles wide_red = doubles(from_red);
    const Floats if_red = from_blue - from_green;
    const Floats if_green = floats(wide_red + 2.0 - doubles(from_blue));
    const Floats if_blue = floats(doubles(from_green) + 4.0 - wide_red);
    const Floats if_not_red = green == high ? if_green : if_blue;
    const Floats sixths = red == high ? if_red : if_not_red;
    const Doubles circle = doubles(sixths) / 6.0 + 1.0;
    const Ints hue = truncated(
        doubles(floats(Doubles{behind_the_point(circle.first), behind_the_point(circle.last)})) * 255.0);

    const Ints turned = (hue + static_cast<std::int32_t>(turn)) & 255;
    const Doubles sixth = doubles(turned) * 6.0 / 255.0;
    const Ints sector = truncated(sixth);
    const Floats rest = floats(sixth - doubles(sector));
    const Floats share = floats(doubles(saturation) / 255.0);
    const Doubles s = doubles(share);
    const Doubles value = doubles(high);
    // The middle channel is q in odd sectors and t in even ones.
    const Ints q = rounded(value * (1.0 - doubles(share * rest)));
    const Ints t = rounded(value * (1.0 - s * (1.0 - doubles(rest))));
    const Ints middle = (sector & 1) != 0 ? q : t;
    const Ints smallest = rounded(value * (1.0 - s));
    // Sector 6 is the whole circle.
    const Ints is_0 = (sector == 0) | (sector == 6);
    const Ints red_is_high = is_0 | (sector == 5);
    const Ints red_is_middle = (sector == 1) | (sector == 4);
    const Ints green_is_high = (sector == 1) | (sector == 2);
    const Ints green_is_middle = is_0 | (sector == 3);
    const Ints blue_is_high = (sector == 3) | (sector == 4);
    const Ints blue_is_middle = (sector == 2) | (sector == 5);
    red = red_is_high ? high : (red_is_middle ? middle : smallest);
    green = green_is_high ? high : (green_is_middle ? middle : smallest);
    blue = blue_is_high ? high : (blue_is_middle ? middle : smallest);

    const __m256i together = _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,  //
                                              0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    const __m256i packed =
        _mm256_shuffle_epi8(reinterpret_cast<__m256i>(red | (green << 8) | (blue << 16)), together);
    const __m128i first = _mm256_castsi256_si128(packed);
    const __m128i last = _mm256_extracti128_si256(packed, 1);
    _mm_storeu_si64(pixels, first);
    _mm_storeu_si32(pixels + 8, _mm_srli_si128(first, 8));
    _mm_storeu_si64(pixels + 12, last);
    _mm_storeu_si32(pixels + 20, _mm_srli_si128(last, 8));
  }
};

constexpr PixelLoops wide{WideLoops::resample_rows,  WideLoops::add_row,         WideLoops::to_bytes,
                          WideLoops::to_planes,      WideLoops::sum_of_greys,    WideLoops::to_grey,
                          WideLoops::away_from_grey, WideLoops::away_from_level, WideLoops::turn_hue};

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
