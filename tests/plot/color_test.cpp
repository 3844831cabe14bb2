#include "pair/plot/color.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

namespace pair::plot::color_test {
namespace {

using Three = std::array<double, 3>;

double to_linear(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

Three linear(Rgb color) {
  return {to_linear(color.red / 255.0), to_linear(color.green / 255.0), to_linear(color.blue / 255.0)};
}

// OKLab from linear light. Distances in it are perceptual; 0.02 is a just noticeable difference.
Three oklab(const Three& rgb) {
  const double l = std::cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
  const double m = std::cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
  const double s = std::cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(const Three& a, const Three& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

using Matrix = std::array<double, 9>;

// Linear light as seen with a colour vision deficiency (Machado, Oliveira and Fernandes 2009, severity 1).
constexpr Matrix nothing_missing = {1, 0, 0, 0, 1, 0, 0, 0, 1};
constexpr Matrix protanopia = {0.152286, 1.052583,  -0.204868, 0.114503, 0.786281,
                               0.099216, -0.003882, -0.048116, 1.051998};
constexpr Matrix deuteranopia = {0.367322, 0.860646,  -0.227968, 0.280085, 0.672501,
                                 0.047413, -0.011820, 0.042940,  0.968881};

Three seen(Rgb color, const Matrix& matrix) {
  const Three light = linear(color);
  Three result{};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] =
        std::max(0.0, matrix[3 * i] * light[0] + matrix[3 * i + 1] * light[1] + matrix[3 * i + 2] * light[2]);
  }
  return oklab(result);
}

TEST(Color, StandsOutFromEitherBackground) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    for (std::size_t i = 0; i < color_count; ++i) {
      EXPECT_GE(contrast(paint(static_cast<Color>(i), theme), background(theme)), 3.0) << i;
    }
    // WCAG requires 4.5 for text.
    EXPECT_GE(contrast(paint(Color::ink, theme), background(theme)), 7.0);
    EXPECT_GE(contrast(paint(Color::muted, theme), background(theme)), 4.5);
  }
}

TEST(Color, OfTheFirstFiveCategoriesDiffersForTheColourBlind) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    for (const Matrix& matrix : {nothing_missing, protanopia, deuteranopia}) {
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          EXPECT_GE(
              distance(seen(paint(category(i), theme), matrix), seen(paint(category(j), theme), matrix)),
              0.06)
              << i << ' ' << j << (theme == Theme::dark ? " dark" : " light");
        }
      }
    }
  }
}

TEST(Color, RepeatsAfterEightCategories) {
  std::set<Color> first;
  for (std::size_t i = 0; i < 8; ++i) {
    first.insert(category(i));
    EXPECT_EQ(category(i), category(i + 8));
  }
  EXPECT_EQ(first.size(), 8U);
}

TEST(Color, IsThatOfOkabeAndItoWhereItCanBeSeen) {
  EXPECT_EQ(hex(paint(Color::blue, Theme::light)), "#0072b2");
  EXPECT_EQ(hex(paint(Color::vermillion, Theme::light)), "#d55e00");
  EXPECT_EQ(hex(paint(Color::yellow, Theme::dark)), "#f0e442");
}

TEST(Color, HasTheContrastThatWcagDefines) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21.0, 1e-9);
  EXPECT_NEAR(contrast({255, 255, 255}, {0x76, 0x76, 0x76}), 4.54, 0.01);
}

TEST(Viridis, GetsLighterEvenly) {
  double before = -1.0;
  double least = 1.0, most = 0.0;
  Three last{};
  for (int i = 0; i <= 64; ++i) {
    const Three lab = oklab(linear(scale_color(ColorScale::viridis, i / 64.0, Theme::light).color));
    EXPECT_GT(lab[0], before);
    before = lab[0];
    if (i > 0) {
      least = std::min(least, distance(lab, last));
      most = std::max(most, distance(lab, last));
    }
    last = lab;
  }
  EXPECT_LT(most / least, 4.0);
}

TEST(Diverging, IsLightestInTheMiddleAndSymmetric) {
  const auto lightness = [](double t) {
    return oklab(linear(scale_color(ColorScale::diverging, t, Theme::light).color))[0];
  };
  for (int i = 1; i <= 32; ++i) {
    const double t = i / 64.0;
    EXPECT_NEAR(lightness(0.5 - t), lightness(0.5 + t), 0.02) << t;
    EXPECT_LT(lightness(0.5 + t), lightness(0.5 + t - 1 / 64.0));
  }
  // The ends also differ for colour-blind readers.
  for (const Matrix& matrix : {nothing_missing, protanopia, deuteranopia}) {
    EXPECT_GE(distance(seen(scale_color(ColorScale::diverging, 0, Theme::light).color, matrix),
                       seen(scale_color(ColorScale::diverging, 1, Theme::light).color, matrix)),
              0.15);
  }
}

TEST(Shade, GoesFromNothingToInk) {
  EXPECT_EQ(scale_color(ColorScale::shade, 0, Theme::light).opacity, 0.0);
  EXPECT_GT(scale_color(ColorScale::shade, 1, Theme::light).opacity, 0.4);
  EXPECT_EQ(hex(scale_color(ColorScale::shade, 1, Theme::dark).color), "#ffffff");
}

TEST(ThemeName, IsReadOrAnswered) {
  EXPECT_EQ(theme_from("dark"), Theme::dark);
  EXPECT_EQ(theme_from("auto"), Theme::automatic);
  try {
    theme_from("drak");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'dark'?"));
  }
}

}  // namespace
}  // namespace pair::plot::color_test
