#include "pair/plot/legend.h"

#include <algorithm>

#include "pair/plot/text.h"

namespace pair::plot {
namespace {

constexpr double font_size = 11.5;
constexpr double row_height = 18;
constexpr double sample_width = 34;  // of a line: a whole pattern of every dash, with gaps beside the marker
constexpr double sample_gap = 6;
constexpr double entry_gap = 16;
constexpr double longest_name = 220;
constexpr double space_above = 8;

struct LegendCollector {
  std::vector<LegendEntry>& entries;

  void add(LegendEntry entry) const {
    if (!entry.name.empty() && std::find(entries.begin(), entries.end(), entry) == entries.end()) {
      entries.push_back(std::move(entry));
    }
  }

  void operator()(const Line& line) const {
    add({.name = line.name, .color = line.color, .dash = line.dash, .shape = line.shape});
  }
  void operator()(const Points& points) const {
    add({.name = points.name,
         .kind = LegendEntry::Kind::points,
         .color = points.color,
         .shape = points.shape,
         .hollow = points.hollow});
  }
  void operator()(const Band& band) const {
    add({.name = band.name, .kind = LegendEntry::Kind::area, .color = band.color, .opacity = 0.2});
  }
  void operator()(const Contours& contours) const {
    add({.name = contours.name, .color = contours.color, .dash = contours.dash});
  }
  void operator()(const Region& region) const {
    add({.name = region.name,
         .kind = LegendEntry::Kind::area,
         .color = region.color,
         .dash = region.dash,
         .opacity = region.opacity});
  }
  void operator()(const HeatMap&) const {}
  void operator()(const Span&) const {}
  void operator()(const Label&) const {}

  void operator()(const Chart& chart) const {
    for (const Mark& mark : chart.marks) {
      std::visit(*this, mark);
    }
  }
  void operator()(const Radar& radar) const {
    for (const RadarSeries& series : radar.series) {
      add({.name = series.name, .color = series.color, .dash = series.dash, .shape = Shape::circle});
    }
  }
};

double sample_width_of(const LegendEntry& entry) {
  return entry.kind == LegendEntry::Kind::line ? sample_width : 14;
}

struct Placed {
  double x, y;
  std::string name;
};

std::vector<Placed> placed(const std::vector<LegendEntry>& entries, double width) {
  std::vector<Placed> places;
  double x = 0.0, y = 0.0;
  for (const LegendEntry& entry : entries) {
    const double before = sample_width_of(entry) + sample_gap;
    std::string name = shortened(entry.name, font_size, std::min(longest_name, width - before));
    const double taken = before + text_width(name, font_size);
    if (x > 0 && x + taken > width) {
      x = 0.0;
      y += row_height;
    }
    places.push_back({x, y, std::move(name)});
    x += taken + entry_gap;
  }
  return places;
}

void draw_sample(SvgWriter& svg, const LegendEntry& entry, Point left) {
  const double width = sample_width_of(entry);
  const std::string stroke = stroke_class(entry.color) + " line";
  const Point middle{left.x + width / 2, left.y};
  if (entry.kind == LegendEntry::Kind::area) {
    const Rect box{left.x, left.y - 5, width, 10};
    svg.rect(fill_class(entry.color), box, "fill-opacity=\"" + px(entry.opacity) + "\"");
    svg.rect(stroke + std::string(dash_class(entry.dash)), box);
    return;
  }
  if (entry.kind == LegendEntry::Kind::line) {
    svg.path(stroke + std::string(dash_class(entry.dash)),
             line_data(std::vector{left, Point{left.x + width, left.y}}), "stroke-width=\"2\"");
  }
  if (entry.shape) {
    const bool strokes_only = entry.hollow || is_open(*entry.shape);
    svg.path(strokes_only ? stroke : fill_class(entry.color), shape_data(*entry.shape, middle, 7),
             strokes_only ? "stroke-width=\"1.6\"" : "");
  }
}

}  // namespace

std::vector<LegendEntry> legend_of(const Panel& panel) {
  std::vector<LegendEntry> entries;
  std::visit(LegendCollector{entries}, panel);
  return entries;
}

double legend_height(const std::vector<LegendEntry>& entries, double width) {
  return entries.empty() ? 0.0 : space_above + placed(entries, width).back().y + row_height;
}

void draw_legend(SvgWriter& svg, const std::vector<LegendEntry>& entries, Point top_left, double width) {
  const std::vector<Placed> places = placed(entries, width);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Point middle{top_left.x + places[i].x, top_left.y + space_above + places[i].y + row_height / 2};
    draw_sample(svg, entries[i], middle);
    svg.text(places[i].name,
             {middle.x + sample_width_of(entries[i]) + sample_gap, middle.y + 0.36 * font_size},
             {.size = font_size});
  }
}

}  // namespace pair::plot
