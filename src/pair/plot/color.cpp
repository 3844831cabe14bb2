#include "pair/plot/color.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pair/base/names.h"

namespace pair::plot {
namespace {

constexpr std::array<Rgb, 7> okabe_ito = {{{0x00, 0x72, 0xb2},
                                           {0xd5, 0x5e, 0x00},
                                           {0x00, 0x9e, 0x73},
                                           {0xcc, 0x79, 0xa7},
                                           {0xe6, 0x9f, 0x00},
                                           {0x56, 0xb4, 0xe9},
                                           {0xf0, 0xe4, 0x42}}};

// Every 1/8 of viridis (Smith and van der Walt, 2015; CC0); nearly linear in between.
constexpr std::array<Rgb, 9> viridis = {{{0x44, 0x01, 0x54},
                                         {0x47, 0x2d, 0x7b},
                                         {0x3b, 0x52, 0x8b},
                                         {0x2c, 0x72, 0x8e},
                                         {0x21, 0x91, 0x8c},
                                         {0x28, 0xae, 0x80},
                                         {0x5e, 0xc9, 0x62},
                                         {0xad, 0xdc, 0x30},
                                         {0xfd, 0xe7, 0x25}}};

constexpr double strongest_shade = 0.5;

using Three = std::array<double, 3>;

double to_linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

std::uint8_t from_linear(double light) {
  light = std::clamp(light, 0.0, 1.0);
  const double value = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

Three linear(Rgb color) {
  return {to_linear(color.red), to_linear(color.green), to_linear(color.blue)};
}

Rgb from(const Three& light) {
  return {from_linear(light[0]), from_linear(light[1]), from_linear(light[2])};
}

// Moves the colour towards black (light theme) or white (dark theme) in linear light until its contrast
// suffices.
Rgb legible(Rgb color, Theme theme) {
  const Three start = linear(color);
  const double end = theme == Theme::dark ? 1.0 : 0.0;
  const double least = theme == Theme::dark ? 4.0 : 3.0;
  Rgb result = color;
  for (int step = 1; contrast(result, background(theme)) < least && step <= 100; ++step) {
    const double share = step / 100.0;
    Three mixed{};
    std::transform(start.begin(), start.end(), mixed.begin(),
                   [&](double light) { return (1 - share) * light + share * end; });
    result = from(mixed);
  }
  return result;
}

// OKLab (Ottosson, 2020): a perceptually uniform colour space.
Rgb from_oklab(const Three& lab) {
  const double l = std::pow(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2], 3);
  const double m = std::pow(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2], 3);
  const double s = std::pow(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2], 3);
  return from({4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
               -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
               -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s});
}

Rgb along_viridis(double t) {
  const double place = t * (viridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), viridis.size() - 2);
  const double share = place - static_cast<double>(below);
  const auto mix = [share](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround((1 - share) * a + share * b));
  };
  const Rgb a = viridis[below], b = viridis[below + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

// Both arms have the same range of lightness and the same slope.
Rgb along_diverging(double t) {
  constexpr double middle_lightness = 0.96, end_lightness = 0.48;
  constexpr double blue_hue = 4.35, orange_hue = 0.83, chroma = 0.125;  // hues in radians
  const double strength = std::abs(2 * t - 1);
  const double hue = t < 0.5 ? blue_hue : orange_hue;
  return from_oklab({middle_lightness + (end_lightness - middle_lightness) * strength,
                     chroma * strength * std::cos(hue), chroma * strength * std::sin(hue)});
}

}  // namespace

Theme theme_from(std::string_view name) {
  constexpr std::array<std::string_view, 3> names = {"auto", "light", "dark"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw std::invalid_argument(base::unknown_name("theme", name, names));
  }
  return static_cast<Theme>(found - names.begin());
}

Color category(std::size_t i) {
  constexpr std::array order = {Color::blue, Color::vermillion, Color::green,  Color::purple,
                                Color::sky,  Color::orange,     Color::yellow, Color::ink};
  return order[i % order.size()];
}

std::string hex(Rgb color) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t channel : {color.red, color.green, color.blue}) {
    text += digits[channel / 16];
    text += digits[channel % 16];
  }
  return text;
}

double luminance(Rgb color) {
  const Three light = linear(color);
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

double contrast(Rgb a, Rgb b) {
  const double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
  return std::max(one, other) / std::min(one, other);
}

Rgb background(Theme theme) {
  return theme == Theme::dark ? Rgb{0x15, 0x18, 0x1d} : Rgb{0xff, 0xff, 0xff};
}

Rgb paint(Color color, Theme theme) {
  if (color == Color::ink) {
    return theme == Theme::dark ? Rgb{0xe8, 0xea, 0xed} : Rgb{0x1f, 0x23, 0x28};
  }
  if (color == Color::muted) {
    return theme == Theme::dark ? Rgb{0xa0, 0xa7, 0xb0} : Rgb{0x5c, 0x64, 0x6e};
  }
  return legible(okabe_ito.at(static_cast<std::size_t>(color)), theme);
}

Rgb grid_paint(Theme theme) {
  return theme == Theme::dark ? Rgb{0x2d, 0x32, 0x39} : Rgb{0xe4, 0xe7, 0xeb};
}

ScaleColor scale_color(ColorScale scale, double t, Theme theme) {
  t = std::clamp(t, 0.0, 1.0);
  switch (scale) {
    case ColorScale::viridis:
      return {along_viridis(t)};
    case ColorScale::diverging:
      return {along_diverging(t)};
    case ColorScale::shade:
      break;
  }
  return {theme == Theme::dark ? Rgb{0xff, 0xff, 0xff} : Rgb{0, 0, 0}, strongest_shade * t};
}

}  // namespace pair::plot
