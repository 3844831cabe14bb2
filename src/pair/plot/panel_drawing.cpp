#include "pair/plot/panel_drawing.h"

#include "pair/plot/chart_drawing.h"
#include "pair/plot/radar_drawing.h"

namespace pair::plot {

std::unique_ptr<PanelDrawing> make_drawing(const Panel& panel, Theme theme, double width, double height) {
  if (const Chart* chart = std::get_if<Chart>(&panel)) {
    return std::make_unique<ChartDrawing>(*chart, theme, width, height);
  }
  return std::make_unique<RadarDrawing>(std::get<Radar>(panel));
}

}  // namespace pair::plot
