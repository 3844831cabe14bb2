#include "pair/plot/chart_drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/plot/chart_marks.h"
#include "pair/plot/heat_map.h"
#include "pair/plot/text.h"

namespace pair::plot {
namespace {

constexpr double tick_length = 4, minor_length = 2.5, gap = 4;
constexpr double span_font = 10.5, span_row = 15;
constexpr double slant = -35;  // degrees; used for names that do not fit side by side

struct ExtentCollector {
  Needed& x;
  Needed& y;

  void operator()(const Line& line) const {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      add(line.x[i], line.y[i]);
    }
    y.ask_for_room();
    if (line.shape) {
      x.ask_for_room();
    }
  }
  void operator()(const Points& points) const {
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      add(points.x[i], points.y[i]);
    }
    x.ask_for_room();
    y.ask_for_room();
  }
  void operator()(const Band& band) const {
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      add(band.x[i], band.low[i]);
      add(band.x[i], band.high[i]);
    }
    y.ask_for_room();
  }
  void operator()(const HeatMap& map) const { add(map.field); }
  void operator()(const Contours& contours) const { add(contours.field); }
  void operator()(const Region& region) const {
    for (const Point& corner : region.corners) {
      add(corner.x, corner.y);
    }
  }
  void operator()(const Span& span) const {
    x.add(span.low);
    x.add(span.high);
  }
  void operator()(const Label& label) const { add(label.x, label.y); }
  // A point that lacks one coordinate is not drawn, so neither coordinate counts.
  void add(double x_value, double y_value) const {
    if (x.takes(x_value) && y.takes(y_value)) {
      x.add(x_value);
      y.add(y_value);
    }
  }
  void add(const Field& field) const {
    x.add_filled(field.x_low, field.x_high);
    y.add_filled(field.y_low, field.y_high);
  }
};

Ticks ticks_of(const Axis& axis, Extent extent, std::size_t most) {
  if (!axis.ticks.empty()) {
    Ticks given;
    const Mapping place(extent, axis.scale, 0, 1);
    std::copy_if(axis.ticks.begin(), axis.ticks.end(), std::back_inserter(given.major),
                 [&](const Tick& tick) { return place.shows(tick.value); });
    return given;
  }
  return axis.scale == Scale::logarithmic ? log_ticks(extent.low, extent.high, most)
                                          : linear_ticks(extent.low, extent.high, most);
}

double widest(const Ticks& ticks) {
  double width = 0.0;
  for (const Tick& tick : ticks.major) {
    width = std::max(width, text_width(tick.label, tick_font));
  }
  return width;
}

// Whether the labels fit side by side, with gaps, on an axis of this length.
bool fits(const Ticks& ticks, const Mapping& place) {
  double end = -std::numeric_limits<double>::infinity();
  for (const Tick& tick : ticks.major) {
    const double half = text_width(tick.label, tick_font) / 2;
    if (place(tick.value) - half < end + 13) {
      return false;
    }
    end = place(tick.value) + half;
  }
  return true;
}

constexpr double longest_tick_label = 110;

}  // namespace

ChartDrawing::ChartDrawing(const Chart& chart, Theme theme, double width, double height)
    : chart_(chart), theme_(theme) {
  for (const Mark& mark : chart.marks) {
    if (const HeatMap* map = std::get_if<HeatMap>(&mark)) {
      covered_ = true;
      bar_ = bar_ == nullptr && map->bar ? map : bar_;
    }
    const Span* span = std::get_if<Span>(&mark);
    spans_ = spans_ || (span != nullptr && !span->label.empty());
  }
  find_extents();
  choose_ticks(width, height);
}

void ChartDrawing::find_extents() {
  Needed x(chart_.x.scale), y(chart_.y.scale);
  for (const Mark& mark : chart_.marks) {
    std::visit(ExtentCollector{x, y}, mark);
  }
  empty_ = x.empty() || y.empty();
  x_ = x.extent(chart_.x);
  y_ = y.extent(chart_.y);
}

void ChartDrawing::choose_ticks(double width, double height) {
  if (bar_ != nullptr) {
    bar_ticks_ = heat_ticks(*bar_, static_cast<std::size_t>(std::clamp(height / 50, 3.0, 8.0)));
  }
  const double about_height = std::max(height - 90, 40.0);
  // With equal units, as many ticks as on x, so that tick distances are equal, too.
  const double apart = chart_.equal_units ? 36 : 26;
  y_ticks_ = ticks_of(chart_.y, y_, static_cast<std::size_t>(std::clamp(about_height / apart, 3.0, 12.0)));
  const Margins around = ChartDrawing::margins();  // qualified: called from the constructor
  about_width_ =
      with_equal_units({0, 0, std::max(width - around.left - around.right, 40.0), about_height}).width;
  const Mapping place(x_, chart_.x.scale, 0, about_width_);
  for (auto most = static_cast<std::size_t>(std::clamp(about_width_ / 36, 3.0, 10.0)); most >= 2; --most) {
    x_ticks_ = ticks_of(chart_.x, x_, most);
    if (fits(x_ticks_, place)) {
      break;
    }
  }
}

// Names that do not fit side by side are slanted, so that all are shown. Numbers never need it.
bool ChartDrawing::slanted() const {
  return !chart_.x.ticks.empty() && !fits(x_ticks_, Mapping(x_, chart_.x.scale, 0, about_width_));
}

Margins ChartDrawing::margins() const {
  Margins margins;
  const bool y_named = !axis_text(chart_.y.label, chart_.y.unit, y_ticks_.exponent).empty();
  const bool x_named = !axis_text(chart_.x.label, chart_.x.unit, x_ticks_.exponent).empty();
  margins.left =
      tick_length + gap + std::min(widest(y_ticks_), longest_tick_label) + (y_named ? label_font + 10 : 4);
  margins.right = bar_ != nullptr ? heat_bar_width(*bar_, bar_ticks_) + 4 : 14;
  margins.top = 8 + (spans_ ? span_row : 0);
  const double tick_height =
      slanted() ? std::min(widest(x_ticks_), longest_tick_label) * std::sin(-slant * M_PI / 180) + tick_font
                : tick_font;
  margins.bottom = tick_length + gap + tick_height + (x_named ? label_font + 9 : 4);
  return margins;
}

Rect ChartDrawing::with_equal_units(const Rect& plot) const {
  if (!chart_.equal_units) {
    return plot;
  }
  const double unit = std::min(plot.width / (x_.high - x_.low), plot.height / (y_.high - y_.low));
  const double width = unit * (x_.high - x_.low), height = unit * (y_.high - y_.low);
  return {plot.x, plot.y, width, height};
}

void ChartDrawing::draw_grid(SvgWriter& svg, const Rect& plot, const Mapping& x, const Mapping& y) const {
  std::string data;
  for (const Tick& tick : x_ticks_.major) {
    data += line_data(std::vector{Point{x(tick.value), plot.y}, Point{x(tick.value), plot.bottom()}});
  }
  for (const Tick& tick : y_ticks_.major) {
    data += line_data(std::vector{Point{plot.x, y(tick.value)}, Point{plot.right(), y(tick.value)}});
  }
  svg.path("grid", data);
}

void ChartDrawing::draw_axes(SvgWriter& svg, const Rect& plot, const Mapping& x, const Mapping& y) const {
  std::string data;
  const auto tick_x = [&](double value, double length) {
    data += line_data(std::vector{Point{x(value), plot.bottom()}, Point{x(value), plot.bottom() + length}});
  };
  const auto tick_y = [&](double value, double length) {
    data += line_data(std::vector{Point{plot.x, y(value)}, Point{plot.x - length, y(value)}});
  };
  const TextStyle numbers{.size = tick_font, .color = Color::muted};
  const bool turn = slanted();
  for (const Tick& tick : x_ticks_.major) {
    tick_x(tick.value, tick_length);
    TextStyle style = numbers;
    style.anchor = turn ? Anchor::end : Anchor::middle;
    style.slant = turn ? slant : 0;
    svg.text(turn ? shortened(tick.label, tick_font, longest_tick_label) : tick.label,
             {x(tick.value) + (turn ? 4 : 0), plot.bottom() + tick_length + gap + 0.8 * tick_font}, style);
  }
  for (const Tick& tick : y_ticks_.major) {
    tick_y(tick.value, tick_length);
    TextStyle style = numbers;
    style.anchor = Anchor::end;
    svg.text(shortened(tick.label, tick_font, longest_tick_label),
             {plot.x - tick_length - gap, y(tick.value) + 0.36 * tick_font}, style);
  }
  for (const double value : x_ticks_.minor) {
    tick_x(value, minor_length);
  }
  for (const double value : y_ticks_.minor) {
    tick_y(value, minor_length);
  }
  data += covered_ ? rect_data(plot)
                   : line_data(std::vector{Point{plot.x, plot.y}, Point{plot.x, plot.bottom()},
                                           Point{plot.right(), plot.bottom()}});
  svg.path(stroke_class(Color::muted) + " line", data);

  const Margins around = margins();
  svg.text(
      shortened(axis_text(chart_.x.label, chart_.x.unit, x_ticks_.exponent), label_font, plot.width + 60),
      {plot.x + plot.width / 2, plot.bottom() + around.bottom - 4},
      {.size = label_font, .anchor = Anchor::middle});
  svg.text(
      shortened(axis_text(chart_.y.label, chart_.y.unit, y_ticks_.exponent), label_font, plot.height + 40),
      {plot.x - around.left + label_font, plot.y + plot.height / 2},
      {.size = label_font, .anchor = Anchor::middle, .upright = true});
}

void ChartDrawing::draw_span_labels(SvgWriter& svg, const Rect& plot, const Mapping& x) const {
  double free_from = -std::numeric_limits<double>::infinity();
  for (const Mark& mark : chart_.marks) {
    const Span* span = std::get_if<Span>(&mark);
    if (span == nullptr || span->label.empty() || !x.has(span->low) || !x.has(span->high)) {
      continue;
    }
    const double left = std::clamp(x(std::min(span->low, span->high)), plot.x, plot.right());
    const double right = std::clamp(x(std::max(span->low, span->high)), plot.x, plot.right());
    if (!(right > left)) {
      continue;
    }
    // Over its own span; the label of a narrow one may extend into the free room next to it.
    const double half = text_width(span->label, span_font) / 2;
    double middle = std::max((left + right) / 2, free_from + half);
    middle = std::max(std::min(middle, plot.right() - half), plot.x + half);
    const double start = std::max(middle - half, free_from);
    const std::string text = shortened(span->label, span_font, plot.right() + 8 - start);
    svg.text(text, {start, plot.y - 5}, {.size = span_font, .color = span->color});
    free_from = start + text_width(text, span_font) + 8;
  }
}

void ChartDrawing::draw(SvgWriter& svg, const Rect& area) const {
  const Rect plot = with_equal_units(area);
  const Mapping x(x_, chart_.x.scale, plot.x, plot.right());
  const Mapping y(y_, chart_.y.scale, plot.bottom(), plot.y);
  if (!covered_) {
    draw_grid(svg, plot, x, y);
  }
  MarkPainter painter(svg, theme_, plot, x, y);
  for (const Mark& mark : chart_.marks) {
    std::visit(painter, mark);
  }
  draw_axes(svg, plot, x, y);
  if (bar_ != nullptr) {
    draw_heat_bar(svg, *bar_, bar_ticks_, theme_, plot);
  }
  painter.draw_labels();
  draw_span_labels(svg, plot, x);
  if (empty_) {
    svg.text("no data", {plot.x + plot.width / 2, plot.y + plot.height / 2},
             {.size = label_font, .anchor = Anchor::middle, .color = Color::muted});
  }
}

}  // namespace pair::plot
