#pragma once

#include "pair/plot/figure.h"
#include "pair/plot/geometry.h"
#include "pair/plot/label_placer.h"
#include "pair/plot/scale.h"
#include "pair/plot/svg_writer.h"

// Draws the marks of a chart onto its plot area, one kind a function.

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
  void operator()(const Label& label);  // kept for draw_labels

  // After all marks, since labels lie above them and keep clear of them.
  void draw_labels();

 private:
  // A contour's level, to be written somewhere on its line.
  struct LevelLabel {
    std::string text;
    Color color;
    std::vector<Point> line;
  };

  // The line's parts between gaps, in px.
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
