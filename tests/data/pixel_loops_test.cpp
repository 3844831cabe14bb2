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
