#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Colours that colour-blind readers can tell apart, with enough contrast to either background.

namespace pair::plot {

// The theme of a figure. `automatic` follows the viewer's preference (CSS prefers-color-scheme), or is light
// if there is none.
enum class Theme : std::uint8_t { automatic, light, dark };

// From "auto", "light" or "dark". Throws std::invalid_argument that lists them for any other name.
Theme theme_from(std::string_view name);

// A colour by its role: its shade depends on the theme. The first seven are the palette of Okabe and Ito
// (2008, "Color Universal Design"). They are darkened on the light background to a contrast of at least 3:1
// and lightened on the dark one to at least 4:1 (WCAG 2.1, 1.4.11, requires 3:1).
enum class Color : std::uint8_t { blue, vermillion, green, purple, orange, sky, yellow, ink, muted };
inline constexpr std::size_t color_count = 9;

// The colour of item i, from 0. The first eight differ, then they repeat.
Color category(std::size_t i);

// sRGB, each channel from 0 to 255.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// For example "#0072b2".
std::string hex(Rgb color);

// WCAG 2.1: relative luminance, from 0 to 1, and the contrast ratio of two colours, from 1 to 21.
double luminance(Rgb color);
double contrast(Rgb a, Rgb b);

// The colours of a theme; for `automatic`, those of the light theme.
Rgb background(Theme theme);
Rgb paint(Color color, Theme theme);
Rgb grid_paint(Theme theme);

// How numbers map to colours.
//   viridis    from dark violet to yellow, perceptually uniform, for amounts
//   diverging  from blue over near-white to orange, for values with a midpoint, such as differences
//   shade      from transparent to half-opaque ink, for a background below other marks
enum class ColorScale : std::uint8_t { viridis, diverging, shade };

// The colour at t in [0, 1] and its opacity (1 except for `shade`). In the dark theme, `shade` is light; the
// other scales are the same in both themes.
struct ScaleColor {
  Rgb color;
  double opacity = 1.0;
};
ScaleColor scale_color(ColorScale scale, double t, Theme theme);

}  // namespace pair::plot
