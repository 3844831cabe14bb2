#include "pair/plot/csv.h"

#include <cmath>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/plot/scale.h"

namespace pair::plot {
namespace {

struct Row {
  double x = NAN, y = NAN, x2 = NAN, y2 = NAN, value = NAN;
};

class Table {
 public:
  explicit Table(std::size_t panel) : start_(std::to_string(panel + 1) + ",") {}
  [[nodiscard]] const std::string& text() const { return text_; }

  void operator()(const Chart& chart) {
    chart_ = &chart;
    for (const Mark& mark : chart.marks) {
      std::visit(*this, mark);
    }
  }
  void operator()(const Radar& radar) {
    for (const RadarSeries& series : radar.series) {
      for (std::size_t i = 0; i < series.values.size(); ++i) {
        add("radar", series.name, {.value = series.values[i]}, radar.spokes[i]);
      }
    }
  }
  void operator()(const Line& line) { points("line", line.name, line.x, line.y); }
  void operator()(const Points& marks) { points("points", marks.name, marks.x, marks.y); }
  void operator()(const Band& band) {
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      add("band", band.name, {.x = band.x[i], .y = band.low[i], .y2 = band.high[i]});
    }
  }
  void operator()(const HeatMap& map) { field("heat_map", map.label, map.field); }
  void operator()(const Contours& contours) { field("contours", contours.name, contours.field); }
  void operator()(const Region& region) {
    for (const Point& corner : region.corners) {
      add("region", region.name, {.x = corner.x, .y = corner.y});
    }
  }
  void operator()(const Span& span) { add("span", span.label, {.x = span.low, .x2 = span.high}); }
  void operator()(const Label& label) {
    add("label", label.text + (label.subscript.empty() ? "" : "_" + label.subscript),
        {.x = label.x, .y = label.y});
  }

 private:
  void add(const char* mark, const std::string& name, const Row& row, const std::string& spoke = "") {
    text_ += start_ + mark + "," + base::csv_value(name) + "," + base::csv_value(spoke);
    for (const double number : {row.x, row.y, row.x2, row.y2, row.value}) {
      text_ += "," + (std::isnan(number) ? "" : base::shown(number));
    }
    text_ += "\r\n";
  }

  void points(const char* mark, const std::string& name, const std::vector<double>& x,
              const std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      add(mark, name, {.x = x[i], .y = y[i]});
    }
  }

  void field(const char* mark, const std::string& name, const Field& field) {
    const auto centre = [](Scale scale, double linear, double low, double high) {
      return scale == Scale::logarithmic && low > 0
                 ? std::pow(10.0, std::lerp(std::log10(low), std::log10(high), (linear - low) / (high - low)))
                 : linear;
    };
    for (std::size_t row = 0; row < field.rows; ++row) {
      for (std::size_t column = 0; column < field.columns; ++column) {
        const Point at = field.centre(column, row);
        add(mark, name,
            {.x = centre(chart_->x.scale, at.x, field.x_low, field.x_high),
             .y = centre(chart_->y.scale, at.y, field.y_low, field.y_high),
             .value = field.at(column, row)});
      }
    }
  }

  std::string start_;
  std::string text_;
  const Chart* chart_ = nullptr;
};

}  // namespace

std::string to_csv(const Figure& figure) {
  validate(figure);
  std::string text = "panel,mark,name,spoke,x,y,x2,y2,value\r\n";
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    Table table(i);
    std::visit([&](const auto& panel) { table(panel); }, figure.panels[i]);
    text += table.text();
  }
  return text;
}

}  // namespace pair::plot
