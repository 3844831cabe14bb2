#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Colours that colour-blind people can tell apart and that stand out from either background.

namespace pair::plot {

// Of a figure: fixed, or automatic: what the viewer prefers (CSS prefers-color-scheme), light where it does
// not say.
enum class Theme : std::uint8_t { automatic, light, dark };

// "auto", "light" or "dark"; throws std::invalid_argument that lists them for another name.
Theme theme_from(std::string_view name);

// A colour by its role, since its shade depends on the theme. The first seven are the palette of Okabe and
// Ito (2008, "Color Universal Design"), darkened on the light background to a contrast of 3:1 and lightened
// on the dark one to 4:1 where they have less (WCAG 2.1, 1.4.11, asks for 3:1).
enum class Color : std::uint8_t { blue, vermillion, green, purple, orange, sky, yellow, ink, muted };
inline constexpr std::size_t color_count = 9;

// The colour of the i-th of several things, from 0: the first eight differ, then they repeat.
Color category(std::size_t i);

// sRGB, 0 to 255 each.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// "#0072b2".
std::string hex(Rgb color);

// WCAG 2.1: relative luminance, 0 to 1, and the contrast of two colours, 1 to 21.
double luminance(Rgb color);
double contrast(Rgb a, Rgb b);

// What a theme paints with; of the automatic theme, the light one.
Rgb background(Theme theme);
Rgb paint(Color color, Theme theme);
Rgb grid_paint(Theme theme);

// How a number becomes a colour.
//   viridis    from dark violet to yellow, evenly to the eye, for amounts
//   diverging  from blue over near-white to orange, for what has a middle, such as differences
//   shade      from nothing to half-strength ink, for a landscape with other marks on top
enum class ColorScale : std::uint8_t { viridis, diverging, shade };

// The colour at t from 0 to 1, and how much of it covers what lies below (1 but for shade). In the dark
// theme, shade is light; the others are the same in both.
struct ScaleColor {
  Rgb color;
  double opacity = 1.0;
};
ScaleColor scale_color(ColorScale scale, double t, Theme theme);

}  // namespace pair::plot
