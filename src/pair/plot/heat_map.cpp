#include "pair/plot/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "pair/plot/image.h"
#include "pair/plot/panel_drawing.h"
#include "pair/plot/text.h"

namespace pair::plot {
namespace {

constexpr std::size_t most_rectangles = 1600;
constexpr double bar_gap = 14, bar_thickness = 12, bar_tick = 4, text_gap = 3;

Scale scale_of(const HeatMap& map) {
  return map.logarithmic ? Scale::logarithmic : Scale::linear;
}

Mapping shares(const HeatMap& map) {
  return {heat_extent(map), scale_of(map), 0.0, 1.0};
}

void draw_image(SvgWriter& svg, std::string_view png, const Rect& area, bool shade) {
  svg.raw("<image" + std::string(shade ? " class=\"shade\"" : "") + " x=\"" + px(area.x) + "\" y=\"" +
          px(area.y) + "\" width=\"" + px(area.width) + "\" height=\"" + px(area.height) +
          R"(" preserveAspectRatio="none" style="image-rendering:pixelated" href=")" + data_uri(png) +
          "\"/>\n");
}

// The dark image if the theme is dark; otherwise the light one, which the style sheet inverts.
Theme image_theme(Theme theme) {
  return theme == Theme::dark ? Theme::dark : Theme::light;
}

std::string filling(const HeatMap& map, std::uint8_t pixel, Theme theme) {
  const ScaleColor entry = scale_color(map.scale, (pixel - 1) / 254.0, theme);
  return map.scale == ColorScale::shade ? "fill-opacity=\"" + px(entry.opacity) + "\""
                                        : "fill=\"" + hex(entry.color) + "\"";
}

Rect cell(const HeatMap& map, std::size_t column, std::size_t row, const Rect& area) {
  const double width = area.width / static_cast<double>(map.field.columns);
  const double height = area.height / static_cast<double>(map.field.rows);
  return {area.x + static_cast<double>(column) * width, area.bottom() - static_cast<double>(row + 1) * height,
          width, height};
}

// One path per colour.
void draw_cells(SvgWriter& svg, const HeatMap& map, std::span<const std::uint8_t> pixels, Theme theme,
                const Rect& area) {
  std::map<std::uint8_t, std::string> paths;
  for (std::size_t row = 0; row < map.field.rows; ++row) {
    for (std::size_t column = 0; column < map.field.columns; ++column) {
      const std::uint8_t pixel = pixels[row * map.field.columns + column];
      if (pixel != transparent_pixel) {
        paths[pixel] += rect_data(cell(map, column, row, area));
      }
    }
  }
  for (const auto& [pixel, data] : paths) {
    svg.path(map.scale == ColorScale::shade ? fill_class(Color::ink) : "", data,
             filling(map, pixel, theme) + " shape-rendering=\"crispEdges\"");
  }
}

// The number of decimals that shows three digits of the largest value, or 0 for counts; none if the values are
// far from 1.
std::optional<int> value_decimals(const HeatMap& map) {
  double largest = 0.0;
  bool whole = true;
  for (const double value : map.field.values) {
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    whole = whole && (!std::isfinite(value) || value == std::floor(value));
  }
  if (map.logarithmic || !(largest >= 1e-2 && largest < 1e5)) {
    return std::nullopt;
  }
  return whole ? 0 : std::max(0, 2 - static_cast<int>(std::floor(std::log10(largest))));
}

void draw_values(SvgWriter& svg, const HeatMap& map, Theme theme, const Rect& area, const Rect& plot) {
  const Mapping share = shares(map);
  const auto words = [decimals = value_decimals(map)](double value) {
    return !std::isfinite(value) ? "–" : decimals ? with_decimals(value, *decimals) : readable(value);
  };
  double widest = 0.0;
  for (const double value : map.field.values) {
    widest = std::max(widest, text_width(words(value), 1.0));
  }
  const Rect first = cell(map, 0, 0, area);
  const double size = std::min({12.0, (first.width - 8) / widest, first.height - 3});
  if (!(size >= 7)) {
    return;
  }
  for (std::size_t row = 0; row < map.field.rows; ++row) {
    for (std::size_t column = 0; column < map.field.columns; ++column) {
      const double value = map.field.at(column, row);
      const Rect box = cell(map, column, row, area);
      const Point at{box.x + box.width / 2, box.y + box.height / 2 + 0.36 * size};
      if (!plot.contains({box.x + box.width / 2, box.y + box.height / 2})) {
        continue;
      }
      if (map.scale == ColorScale::shade || !share.has(value)) {
        svg.text(words(value), at, {.size = size, .anchor = Anchor::middle});
        continue;
      }
      const Rgb below = scale_color(map.scale, share(value), theme).color;
      const Rgb dark{0x11, 0x11, 0x11}, light{0xff, 0xff, 0xff};
      const Rgb letters = contrast(dark, below) > contrast(light, below) ? dark : light;
      svg.raw("<text fill=\"" + hex(letters) + "\" font-size=\"" + px(size) + "\" x=\"" + px(at.x) +
              "\" y=\"" + px(at.y) + R"(" text-anchor="middle">)" + escaped(words(value)) + "</text>\n");
    }
  }
}

}  // namespace

std::string axis_text(const std::string& label, const std::string& unit, int exponent) {
  std::string inner = exponent == 0 ? "" : "×" + power_of_ten(exponent);
  inner += (inner.empty() || unit.empty() ? "" : " ") + unit;
  if (inner.empty() || label.empty()) {
    return label + inner;
  }
  return label + " (" + inner + ")";
}

Extent heat_extent(const HeatMap& map) {
  Needed needed(scale_of(map));
  needed.add(map.field.values);
  return needed.extent(Axis{.range = map.range});
}

Ticks heat_ticks(const HeatMap& map, std::size_t most) {
  const Extent extent = heat_extent(map);
  return map.logarithmic ? log_ticks(extent.low, extent.high, most)
                         : linear_ticks(extent.low, extent.high, most);
}

void draw_heat_map(SvgWriter& svg, const HeatMap& map, Theme theme, const Rect& area, const Rect& plot) {
  const Field& field = map.field;
  if (field.values.empty()) {
    return;
  }
  const Mapping share = shares(map);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(field.values.size());
  for (const double value : field.values) {
    pixels.push_back(share.has(value) ? scale_pixel(share(value)) : transparent_pixel);
  }
  constexpr double rounding = 0.01;
  const Rect seen = plot.grown(rounding);
  const bool cut =
      area.x < seen.x || area.y < seen.y || area.right() > seen.right() || area.bottom() > seen.bottom();
  if (cut) {
    svg.raw("<svg x=\"" + px(plot.x) + "\" y=\"" + px(plot.y) + "\" width=\"" + px(plot.width) +
            "\" height=\"" + px(plot.height) + R"(" overflow="hidden" viewBox=")" + px(plot.x) + " " +
            px(plot.y) + " " + px(plot.width) + " " + px(plot.height) + "\">\n");
  }
  if (field.values.size() <= most_rectangles) {
    draw_cells(svg, map, pixels, theme, area);
  } else {
    std::vector<std::uint8_t> from_top;
    from_top.reserve(pixels.size());
    for (std::size_t row = field.rows; row-- > 0;) {
      const auto start = pixels.begin() + static_cast<std::ptrdiff_t>(row * field.columns);
      from_top.insert(from_top.end(), start, start + static_cast<std::ptrdiff_t>(field.columns));
    }
    draw_image(svg, encode_png(field.columns, field.rows, from_top, map.scale, image_theme(theme)), area,
               map.scale == ColorScale::shade);
  }
  if (map.values) {
    draw_values(svg, map, theme, area, plot);
  }
  if (cut) {
    svg.raw("</svg>\n");
  }
}

double heat_bar_width(const HeatMap& map, const Ticks& ticks) {
  double widest = 0.0;
  for (const Tick& tick : ticks.major) {
    widest = std::max(widest, text_width(tick.label, tick_font));
  }
  const bool named = !axis_text(map.label, "", ticks.exponent).empty();
  return bar_gap + bar_thickness + bar_tick + text_gap + widest + (named ? label_font + 8 : 0);
}

void draw_heat_bar(SvgWriter& svg, const HeatMap& map, const Ticks& ticks, Theme theme, const Rect& plot) {
  const Rect bar{plot.right() + bar_gap, plot.y, bar_thickness, plot.height};
  std::array<std::uint8_t, 255> pixels{};
  std::iota(pixels.rbegin(), pixels.rend(), std::uint8_t{1});
  draw_image(svg, encode_png(1, pixels.size(), pixels, map.scale, image_theme(theme)), bar,
             map.scale == ColorScale::shade);
  svg.rect(stroke_class(Color::muted) + " line", bar, "stroke-width=\"0.75\"");
  const Mapping place(heat_extent(map), scale_of(map), bar.bottom(), bar.y);
  for (const Tick& tick : ticks.major) {
    const double y = place(tick.value);
    svg.line(stroke_class(Color::muted), {bar.right(), y}, {bar.right() + bar_tick, y});
    svg.text(tick.label, {bar.right() + bar_tick + text_gap, y + 0.36 * tick_font},
             {.size = tick_font, .color = Color::muted});
  }
  const std::string text = axis_text(map.label, "", ticks.exponent);
  const double right = plot.right() + heat_bar_width(map, ticks);
  svg.text(shortened(text, label_font, plot.height + 40), {right - 2, plot.y + plot.height / 2},
           {.size = label_font, .anchor = Anchor::middle, .upright = true});
}

}  // namespace pair::plot
