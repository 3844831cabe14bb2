#pragma once

#include <memory>

#include "pair/plot/figure.h"
#include "pair/plot/geometry.h"
#include "pair/plot/svg_writer.h"

// A panel while it is drawn. It reports the margins it needs around its plot area; the figure aligns the plot
// areas; then the panel draws itself.

namespace pair::plot {

// px around the plot area, without title and legend.
struct Margins {
  double left = 0.0;
  double right = 0.0;
  double top = 0.0;
  double bottom = 0.0;
};

class PanelDrawing {
 public:
  PanelDrawing() = default;
  PanelDrawing(const PanelDrawing&) = delete;
  PanelDrawing& operator=(const PanelDrawing&) = delete;
  virtual ~PanelDrawing() = default;

  [[nodiscard]] virtual Margins margins() const = 0;
  virtual void draw(SvgWriter& svg, const Rect& plot) const = 0;
};

// The panel must outlive the drawing. `theme` only affects heat maps. Width and height are the panel's.
std::unique_ptr<PanelDrawing> make_drawing(const Panel& panel, Theme theme, double width, double height);

// Sizes shared by panels, in px.
inline constexpr double tick_font = 11;
inline constexpr double label_font = 12;
inline constexpr double title_font = 13;

}  // namespace pair::plot
