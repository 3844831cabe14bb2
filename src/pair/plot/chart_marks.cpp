#include "pair/plot/chart_marks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pair/plot/heat_map.h"
#include "pair/plot/text.h"

namespace pair::plot {
namespace {

// Up to this many filled shapes are separate elements, each with a thin outline in the background colour that
// separates overlapping ones. More are drawn as one element.
constexpr std::size_t most_separate = 1000;

constexpr double level_font = 10;
constexpr double point_label_font = 13;

std::string stroke_width(double width) {
  return "stroke-width=\"" + px(width) + "\"";
}

double length_of(std::span<const Point> line) {
  double length = 0.0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    length += std::hypot(line[i + 1].x - line[i].x, line[i + 1].y - line[i].y);
  }
  return length;
}

}  // namespace

std::vector<std::vector<Point>> MarkPainter::unbroken(std::span<const double> x,
                                                      std::span<const double> y) const {
  std::vector<std::vector<Point>> parts(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x_.has(x[i]) && y_.has(y[i])) {
      parts.back().push_back({x_(x[i]), y_(y[i])});
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  return parts;
}

void MarkPainter::draw_line(std::span<const Point> line, std::string& data) {
  for (const std::vector<Point>& part : clip_line(thinned(line), plot_)) {
    data += line_data(part);
    placer_.avoid_line(part);
  }
}

void MarkPainter::draw_shapes(std::span<const double> x, std::span<const double> y, Color color, Shape shape,
                              double size, bool hollow, const std::string& name) {
  std::vector<Point> seen;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x_.shows(x[i]) && y_.shows(y[i])) {
      seen.push_back({x_(x[i]), y_(y[i])});
      placer_.avoid({seen.back().x - size / 2, seen.back().y - size / 2, size, size});
    }
  }
  if (seen.empty()) {
    return;
  }
  const bool separate = !is_open(shape) && seen.size() <= most_separate;
  const std::string fill = hollow ? "bg " + stroke_class(color) : fill_class(color);
  const std::string classes = is_open(shape)        ? stroke_class(color) + " line"
                              : separate && !hollow ? "edge " + fill
                                                    : fill;
  const std::string width = is_open(shape) || hollow ? stroke_width(size / 4) : "";
  std::string data;
  if (!separate) {
    for (const Point& point : seen) {
      data += shape_data(shape, point, size);
    }
    svg_.path(classes, data, width, name);
    return;
  }
  svg_.raw("<g class=\"" + classes + "\"" + (width.empty() ? "" : " ") + width + ">");
  svg_.raw(name.empty() ? "\n" : "<title>" + escaped(name) + "</title>\n");
  for (const Point& point : seen) {
    svg_.path("", shape_data(shape, point, size));
  }
  svg_.raw("</g>\n");
}

void MarkPainter::operator()(const Line& line) {
  std::string data;
  for (const std::vector<Point>& part : unbroken(line.x, line.y)) {
    draw_line(part, data);
    // A value between two gaps does not make a line, but must stay visible.
    if (part.size() == 1 && !line.shape && plot_.contains(part.front())) {
      svg_.path(fill_class(line.color), shape_data(Shape::circle, part.front(), 2 * line.width), "",
                line.name);
    }
  }
  svg_.path(stroke_class(line.color) + " line" + std::string(dash_class(line.dash)), data,
            stroke_width(line.width), line.name);
  if (line.shape) {
    draw_shapes(line.x, line.y, line.color, *line.shape, 6, false, line.name);
  }
}

void MarkPainter::operator()(const Points& points) {
  draw_shapes(points.x, points.y, points.color, points.shape, points.size, points.hollow, points.name);
}

void MarkPainter::operator()(const Band& band) {
  std::string data;
  std::vector<Point> lows, highs;
  const auto finish = [&] {
    std::vector<Point> outline = thinned(lows);
    const std::vector<Point> back = thinned(highs);
    outline.insert(outline.end(), back.rbegin(), back.rend());
    data += area_data(clip_area(outline, plot_));
    lows.clear();
    highs.clear();
  };
  for (std::size_t i = 0; i < band.x.size(); ++i) {
    if (x_.has(band.x[i]) && y_.has(band.low[i]) && y_.has(band.high[i])) {
      lows.push_back({x_(band.x[i]), y_(band.low[i])});
      highs.push_back({x_(band.x[i]), y_(band.high[i])});
    } else {
      finish();
    }
  }
  finish();
  svg_.path(fill_class(band.color), data, "fill-opacity=\"0.2\"", band.name);
}

void MarkPainter::operator()(const HeatMap& map) {
  const Field& field = map.field;
  if (x_.has(field.x_low) && y_.has(field.y_low)) {
    const double left = x_(field.x_low), top = y_(field.y_high);
    draw_heat_map(svg_, map, theme_, {left, top, x_(field.x_high) - left, y_(field.y_low) - top}, plot_);
  }
}

void MarkPainter::operator()(const Contours& contours) {
  if (!x_.has(contours.field.x_low) || !y_.has(contours.field.y_low)) {
    return;
  }
  Field field = contours.field;
  field.x_low = x_(contours.field.x_low);
  field.x_high = x_(contours.field.x_high);
  field.y_low = y_(contours.field.y_low);
  field.y_high = y_(contours.field.y_high);
  std::string data;
  for (const double level : contours.levels) {
    std::vector<Point> longest_line;
    double longest = 0.0;
    for (const std::vector<Point>& line : contour(field, level)) {
      draw_line(line, data);
      for (const std::vector<Point>& part : clip_line(line, plot_)) {
        if (const double length = length_of(part); length > longest) {
          longest_line = part;
          longest = length;
        }
      }
    }
    if (contours.labels && longest > 3 * text_width(readable(level), level_font)) {
      level_labels_.push_back({readable(level), contours.color, std::move(longest_line)});
    }
  }
  svg_.path(stroke_class(contours.color) + " line" + std::string(dash_class(contours.dash)), data,
            stroke_width(contours.width), contours.name);
}

void MarkPainter::operator()(const Region& region) {
  std::vector<Point> corners;
  for (const Point& corner : region.corners) {
    if (x_.has(corner.x) && y_.has(corner.y)) {
      corners.push_back({x_(corner.x), y_(corner.y)});
    }
  }
  if (corners.size() < 3) {
    return;
  }
  svg_.path(fill_class(region.color), area_data(clip_area(corners, plot_)),
            "fill-opacity=\"" + px(std::clamp(region.opacity, 0.0, 1.0)) + "\"", region.name);
  corners.push_back(corners.front());
  std::string outline;
  draw_line(corners, outline);
  // The outline keeps it visible on a heat map of any colour.
  svg_.path("edge line", outline, R"(stroke-width="4" stroke-opacity="0.6")");
  svg_.path(stroke_class(region.color) + " line" + std::string(dash_class(region.dash)), outline,
            stroke_width(1.5));
}

void MarkPainter::operator()(const Span& span) {
  if (!x_.has(span.low) || !x_.has(span.high)) {
    return;
  }
  const double left = std::clamp(x_(std::min(span.low, span.high)), plot_.x, plot_.right());
  const double right = std::clamp(x_(std::max(span.low, span.high)), plot_.x, plot_.right());
  if (span.opacity > 0 && right > left) {
    svg_.rect(fill_class(span.color), {left, plot_.y, right - left, plot_.height},
              "fill-opacity=\"" + px(std::min(span.opacity, 1.0)) + "\"");
  }
  for (const double edge : {span.low, span.high}) {
    const double x = x_(edge);
    if (x > plot_.x + 1 && x < plot_.right() - 1) {
      svg_.line(stroke_class(span.color) + " d2", {x, plot_.y}, {x, plot_.bottom()});
    }
  }
}

void MarkPainter::operator()(const Label& label) {
  if (x_.shows(label.x) && y_.shows(label.y)) {
    point_labels_.push_back(label);
  }
}

void MarkPainter::draw_labels() {
  for (const LevelLabel& label : level_labels_) {
    const double width = text_width(label.text, level_font) + 2;
    const Rect box = placer_.place_on(label.line, width, level_font);
    svg_.text(label.text, {box.x + box.width / 2, box.y + box.height / 2 + 0.36 * level_font},
              {.size = level_font, .anchor = Anchor::middle, .color = label.color, .halo = true});
  }
  for (const Label& label : point_labels_) {
    const double width =
        text_width(label.text, point_label_font) + text_width(label.subscript, 0.75 * point_label_font);
    const Rect box = placer_.place({x_(label.x), y_(label.y)}, width, point_label_font);
    svg_.text(label.text, {box.x, box.y + 0.82 * point_label_font},
              {.size = point_label_font, .color = label.color, .halo = true}, label.subscript);
  }
}

}  // namespace pair::plot
