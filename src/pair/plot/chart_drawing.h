#pragma once

#include "pair/plot/panel_drawing.h"
#include "pair/plot/scale.h"

namespace pair::plot {

// Draws a chart: axes, grid, title, span labels and a heat map's colour bar around the marks.
class ChartDrawing : public PanelDrawing {
 public:
  ChartDrawing(const Chart& chart, Theme theme, double width, double height);

  [[nodiscard]] Margins margins() const override;
  void draw(SvgWriter& svg, const Rect& area) const override;

 private:
  void find_extents();
  void choose_ticks(double width, double height);
  [[nodiscard]] bool slanted() const;
  [[nodiscard]] Rect with_equal_units(const Rect& plot) const;
  void draw_grid(SvgWriter& svg, const Rect& plot, const Mapping& x, const Mapping& y) const;
  void draw_axes(SvgWriter& svg, const Rect& plot, const Mapping& x, const Mapping& y) const;
  void draw_span_labels(SvgWriter& svg, const Rect& plot, const Mapping& x) const;

  const Chart& chart_;
  Theme theme_;
  const HeatMap* bar_ = nullptr;  // the heat map whose bar is drawn
  Extent x_, y_;
  Ticks x_ticks_, y_ticks_, bar_ticks_;
  double about_width_ = 0.0;  // estimated width of the plot area, before the margins are known
  bool empty_ = false;
  bool covered_ = false;  // by a heat map
  bool spans_ = false;
};

}  // namespace pair::plot
