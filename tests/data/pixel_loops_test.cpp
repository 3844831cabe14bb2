#include "pair/data/pixel_loops.h"

#include <gmock/gmock.h>

#include <vector>

#include "pair/data/random.h"

namespace pair::data::pixel_loops_test {
namespace {

std::vector<std::uint8_t> bytes(std::size_t count, std::uint64_t seed) {
  Random random(seed, "bytes");
  std::vector<std::uint8_t> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Greys, black and white, too.
    all[i] = random.bernoulli(0.2)            ? (i % 2 == 0 ? std::uint8_t{0} : std::uint8_t{255})
             : i > 0 && random.bernoulli(0.3) ? all[i - 1]
                                              : static_cast<std::uint8_t>(random.bits() >> 56U);
  }
  return all;
}

// On a processor without AVX2 both are the same.
TEST(PixelLoops, GiveTheSameNumbersOnEveryProcessor) {
  const PixelLoops& plain = plain_pixel_loops();
  const PixelLoops& fast = pixel_loops();
  for (const std::size_t pixels : {1, 2, 7, 128, 129, 1000}) {
    const std::vector<std::uint8_t> image = bytes(3 * pixels, pixels);
    const auto same = [&](const auto& change) {
      std::vector<std::uint8_t> one = image;
      std::vector<std::uint8_t> other = image;
      change(plain, one);
      change(fast, other);
      EXPECT_EQ(one, other) << pixels;
      return one;
    };
    for (int turn = 0; turn < 256; turn += 5) {
      (void)same([&](const PixelLoops& loops, std::vector<std::uint8_t>& some) {
        loops.turn_hue(some, static_cast<std::uint8_t>(turn));
      });
    }
    for (const float factor : {0.0F, 0.7F, 1.0F, 1.3F, 4.0F}) {
      (void)same([&](const PixelLoops& loops, std::vector<std::uint8_t>& some) {
        loops.away_from_grey(some, factor);
      });
    }
    for (const float factor : {0.0F, 0.3F, 1.0F, 1.7F, 1e6F}) {
      for (const int level : {0, 1, 128, 255}) {
        const std::vector<std::uint8_t> blended =
            same([&](const PixelLoops& loops, std::vector<std::uint8_t>& some) {
              loops.away_from_level(some, level, factor);
            });
        for (std::size_t i = 0; i < image.size(); ++i) {
          const float mixed = static_cast<float>(level) + factor * static_cast<float>(image[i] - level);
          ASSERT_EQ(blended[i], mixed <= 0.0F ? 0 : mixed >= 255.0F ? 255 : static_cast<int>(mixed));
        }
      }
    }
    (void)same([](const PixelLoops& loops, std::vector<std::uint8_t>& some) { loops.to_grey(some); });
    EXPECT_EQ(plain.sum_of_greys(image), fast.sum_of_greys(image));

    std::vector<std::uint8_t> planes(3 * pixels);
    fast.to_planes(image.data(), pixels, planes.data());
    for (std::size_t i = 0; i < pixels; ++i) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        EXPECT_EQ(planes[channel * pixels + i], image[3 * i + channel]);
      }
    }

    std::vector<std::int32_t> sums(image.size(), half_unit);
    std::vector<std::int32_t> others(image.size(), half_unit);
    plain.add_row(image, 12345, sums.data());
    fast.add_row(image, 12345, others.data());
    EXPECT_EQ(sums, others);
    std::vector<std::uint8_t> narrow(image.size());
    std::vector<std::uint8_t> narrow_too(image.size());
    for (std::int32_t& sum : sums) {
      sum = sum * 100 - 1'000'000;
    }
    plain.to_bytes(sums, narrow.data());
    fast.to_bytes(sums, narrow_too.data());
    EXPECT_EQ(narrow, narrow_too);
  }
}

// Windows of 1 to 80 pixels, up to the last pixel of the last row.
TEST(PixelLoops, ResampleTheSameOnEveryProcessor) {
  Random random(3, "windows");
  for (const std::size_t columns : {1, 3, 5, 6, 17, 100, 333}) {
    for (const std::size_t rows : {1, 2, 8}) {
      const std::vector<std::uint8_t> image = bytes(3 * columns * rows, columns);
      std::vector<PixelWindow> windows;
      std::vector<std::int32_t> weights;
      for (int i = 0; i < 60; ++i) {
        const auto count = 1 + static_cast<std::int64_t>(random.bits() % std::min<std::size_t>(columns, 80));
        const auto first =
            i % 3 == 0
                ? static_cast<std::int64_t>(columns) - count
                : static_cast<std::int64_t>(random.bits() % (columns - static_cast<std::size_t>(count) + 1));
        windows.push_back({first, weights.size(), count});
        // The whole weight at one pixel, or spread over all.
        for (std::int64_t k = 0; k < count; ++k) {
          const auto all = std::int32_t{1} << weight_bits;
          weights.push_back(i % 7 == 0
                                ? (k == count / 2 ? all : 0)
                                : static_cast<std::int32_t>(random.bits() % static_cast<std::uint64_t>(all)) /
                                      static_cast<std::int32_t>(count));
        }
      }
      std::vector<std::uint8_t> one(3 * windows.size() * rows);
      std::vector<std::uint8_t> other(one.size());
      plain_pixel_loops().resample_rows(image, columns, rows, windows, weights, one.data());
      pixel_loops().resample_rows(image, columns, rows, windows, weights, other.data());
      EXPECT_EQ(one, other) << columns << " x " << rows;
      // The first window of the first row, by the definition.
      std::int64_t red = half_unit;
      for (std::int64_t k = 0; k < windows[0].count; ++k) {
        red += std::int64_t{weights[static_cast<std::size_t>(k)]} *
               image[static_cast<std::size_t>(3 * (windows[0].first + k))];
      }
      EXPECT_EQ(one[0], red >> weight_bits);
    }
  }
}

// A grey has no hue.
TEST(PixelLoops, TurnNoGrey) {
  for (int grey = 0; grey < 256; ++grey) {
    std::vector<std::uint8_t> pixel(3, static_cast<std::uint8_t>(grey));
    pixel_loops().turn_hue(pixel, 77);
    EXPECT_THAT(pixel, ::testing::Each(grey));
  }
}

}  // namespace
}  // namespace pair::data::pixel_loops_test
