#include "pair/plot/describe.h"

#include "pair/base/tables.h"
#include "pair/plot/legend.h"

namespace pair::plot {
namespace {

std::string axis_words(const Axis& axis, const char* fallback) {
  return (axis.label.empty() ? fallback : axis.label) + (axis.unit.empty() ? "" : " in " + axis.unit) +
         (axis.scale == Scale::logarithmic ? " (logarithmic)" : "");
}

std::string frame_words(const Chart& chart) {
  std::string text = axis_words(chart.y, "y") + " over " + axis_words(chart.x, "x");
  for (const Mark& mark : chart.marks) {
    if (const HeatMap* map = std::get_if<HeatMap>(&mark)) {
      text += ", colours for " + (map->label.empty() ? "values" : map->label);
    }
  }
  return text;
}

std::string frame_words(const Radar& radar) {
  return "radar of " + base::joined(radar.spokes);
}

}  // namespace

std::string describe(const Figure& figure) {
  if (!figure.description.empty()) {
    return figure.description;
  }
  std::string text;
  for (const Panel& panel : figure.panels) {
    const std::string title = std::visit([](const auto& one) { return one.title; }, panel);
    text += (text.empty() ? "" : " ") + (title.empty() ? "" : title + ": ") +
            std::visit([](const auto& one) { return frame_words(one); }, panel);
    const std::vector<LegendEntry> entries = legend_of(panel);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      text += (i == 0 ? "; " : ", ") + entries[i].name;
    }
    text += ".";
  }
  return text;
}

}  // namespace pair::plot
