#pragma once

#include "pair/plot/figure.h"
#include "pair/plot/geometry.h"
#include "pair/plot/label_placer.h"
#include "pair/plot/scale.h"
#include "pair/plot/svg_writer.h"

// Draws the marks of a chart onto its plot area, one function per kind of mark.

namespace pair::plot {

class MarkPainter {
 public:
  MarkPainter(SvgWriter& svg, Theme theme, const Rect& plot, Mapping x, Mapping y)
      : svg_(svg), theme_(theme), plot_(plot), x_(x), y_(y), placer_(plot) {}

  void operator()(const Line& line);
  void operator()(const Points& points);
  void operator()(const Band& band);
  void operator()(const HeatMap& map);
  void operator()(const Contours& contours);
  void operator()(const Region& region);
  void operator()(const Span& span);
  void operator()(const Label& label);  // stored for draw_labels

  // Call after all marks: labels are drawn above the marks and avoid covering them.
  void draw_labels();

 private:
  // The label of a contour line, placed somewhere on it.
  struct LevelLabel {
    std::string text;
    Color color;
    std::vector<Point> line;
  };

  // The parts of the line between gaps, in px.
  [[nodiscard]] std::vector<std::vector<Point>> unbroken(std::span<const double> x,
                                                         std::span<const double> y) const;
  void draw_line(std::span<const Point> line, std::string& data);
  void draw_shapes(std::span<const double> x, std::span<const double> y, Color color, Shape shape,
                   double size, bool hollow, const std::string& name);

  SvgWriter& svg_;
  Theme theme_;
  Rect plot_;
  Mapping x_, y_;
  LabelPlacer placer_;
  std::vector<Label> point_labels_;
  std::vector<LevelLabel> level_labels_;
};

}  // namespace pair::plot
