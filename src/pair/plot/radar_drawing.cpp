#include "pair/plot/radar_drawing.h"

#include <algorithm>
#include <cmath>

#include "pair/plot/heat_map.h"
#include "pair/plot/text.h"

namespace pair::plot {
namespace {

constexpr std::size_t most_rings = 6;  // including the centre
constexpr double name_gap = 8;
constexpr double longest_spoke_name = 110;

}  // namespace

RadarDrawing::RadarDrawing(const Radar& radar) : radar_(radar) {
  if (radar.most) {
    most_ = *radar.most;
    rings_ = linear_ticks(0, most_, most_rings);
    return;
  }
  double largest = 0.0;
  for (const RadarSeries& series : radar.series) {
    for (const double value : series.values) {
      largest = std::isfinite(value) ? std::max(largest, std::min(value, 1e299)) : largest;
    }
  }
  largest = largest > 1e-300 ? largest : 1.0;
  // The rim is the first ring at or above the largest value.
  const Ticks inner = linear_ticks(0, largest, most_rings - 1);
  const double step = inner.major.size() > 1 ? inner.major[1].value : largest;
  most_ = step * std::ceil(largest / step - 1e-9);
  rings_ = linear_ticks(0, most_, most_rings);
}

Margins RadarDrawing::margins() const {
  return {14, 14, 8, 8};
}

Point RadarDrawing::direction(std::size_t spoke) const {
  const double angle = 2 * M_PI * static_cast<double>(spoke) / static_cast<double>(radar_.spokes.size());
  return {std::sin(angle), -std::cos(angle)};
}

void RadarDrawing::draw_frame(SvgWriter& svg, Point centre, double radius) const {
  const std::size_t n = radar_.spokes.size();
  const auto at = [&](std::size_t spoke, double share) {
    const Point towards = direction(spoke);
    return Point{centre.x + share * radius * towards.x, centre.y + share * radius * towards.y};
  };
  std::string data;
  std::vector<double> shares;
  for (const Tick& ring : rings_.major) {
    shares.push_back(ring.value / most_);
  }
  shares.push_back(1.0);
  for (const double share : shares) {
    std::vector<Point> corners;
    for (std::size_t i = 0; i < n; ++i) {
      corners.push_back(at(i, share));
    }
    data += share > 0 ? area_data(corners) : "";
  }
  for (std::size_t i = 0; i < n; ++i) {
    data += line_data(std::vector{centre, at(i, 1)});
    const Point towards = direction(i), end = at(i, 1);
    const Anchor anchor = std::abs(towards.x) < 0.1 ? Anchor::middle
                          : towards.x > 0           ? Anchor::start
                                                    : Anchor::end;
    svg.text(
        shortened(radar_.spokes[i], label_font, longest_spoke_name),
        {end.x + name_gap * towards.x, end.y + name_gap * towards.y + label_font * (0.36 + 0.45 * towards.y)},
        {.size = label_font, .anchor = anchor});
  }
  svg.path("grid", data);
}

void RadarDrawing::draw_series(SvgWriter& svg, const RadarSeries& series, Point centre, double radius) const {
  const std::size_t n = series.values.size();
  std::vector<std::vector<Point>> parts(1);
  std::string dots;
  std::size_t known = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    const double value = series.values[i % n];
    if (!std::isfinite(value)) {
      parts.emplace_back();
      continue;
    }
    const double share = std::clamp(value / most_, 0.0, 1.0);
    const Point towards = direction(i % n);
    parts.back().push_back({centre.x + share * radius * towards.x, centre.y + share * radius * towards.y});
    if (i < n) {
      ++known;
      dots += shape_data(Shape::circle, parts.back().back(), 6);
    }
  }
  if (known == n) {
    svg.path(fill_class(series.color), area_data(parts.front()), "fill-opacity=\"0.1\"");
  }
  std::string outline;
  for (const std::vector<Point>& part : parts) {
    outline += part.size() > 1 ? line_data(part) : "";
  }
  svg.path(stroke_class(series.color) + " line" + std::string(dash_class(series.dash)), outline,
           "stroke-width=\"2\"", series.name);
  svg.path("edge " + fill_class(series.color), dots, "", series.name);
}

void RadarDrawing::draw(SvgWriter& svg, const Rect& plot) const {
  double beside = 0.0;
  for (std::size_t i = 0; i < radar_.spokes.size(); ++i) {
    const double width = std::min(text_width(radar_.spokes[i], label_font), longest_spoke_name);
    beside = std::max(beside, std::abs(direction(i).x) < 0.1 ? width / 2 : std::abs(direction(i).x) * width);
  }
  const double above = label_font + name_gap + 4;
  const double radius = std::max(std::min(plot.width / 2 - beside - name_gap, plot.height / 2 - above), 10.0);
  const Point centre{plot.x + plot.width / 2, plot.y + plot.height / 2};
  draw_frame(svg, centre, radius);
  for (const RadarSeries& series : radar_.series) {
    draw_series(svg, series, centre, radius);
  }
  for (const Tick& ring : rings_.major) {
    if (ring.value > 0) {
      svg.text(ring.label, {centre.x + 4, centre.y - ring.value / most_ * radius + 0.36 * tick_font},
               {.size = tick_font - 1, .color = Color::muted, .halo = true});
    }
  }
  svg.text(axis_text("", "", rings_.exponent), {centre.x + 4, centre.y + 14},
           {.size = tick_font - 1, .color = Color::muted, .halo = true});
}

}  // namespace pair::plot
