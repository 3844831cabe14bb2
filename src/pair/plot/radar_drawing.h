#pragma once

#include "pair/plot/panel_drawing.h"

namespace pair::plot {

// Draws a radar: rings, spokes, their names and one outline per series.
class RadarDrawing : public PanelDrawing {
 public:
  explicit RadarDrawing(const Radar& radar);

  [[nodiscard]] Margins margins() const override;
  void draw(SvgWriter& svg, const Rect& plot) const override;

 private:
  void draw_frame(SvgWriter& svg, Point centre, double radius) const;
  void draw_series(SvgWriter& svg, const RadarSeries& series, Point centre, double radius) const;
  // The direction of a spoke from the centre; the first points upwards.
  [[nodiscard]] Point direction(std::size_t spoke) const;

  const Radar& radar_;
  double most_ = 1.0;
  Ticks rings_;
};

}  // namespace pair::plot
