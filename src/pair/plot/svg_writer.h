#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/plot/figure.h"
#include "pair/plot/geometry.h"

// Writes the SVG elements of figures. Colours are CSS classes (style_sheet.h), so they can follow the theme.

namespace pair::plot {

// Rounded to 1/100 px, in the fewest characters.
std::string px(double value);

enum class Anchor : std::uint8_t { start, middle, end };

struct TextStyle {
  double size = 11;  // px
  Anchor anchor = Anchor::start;
  Color color = Color::ink;
  bool bold = false;
  bool upright = false;  // rotated by 90 degrees, read from bottom to top
  double slant = 0.0;    // degrees; negative slants upwards
  bool halo = false;     // an outline of the letters in the background colour
};

class SvgWriter {
 public:
  // `text` must already be escaped.
  void raw(std::string_view text) { out_ += text; }
  [[nodiscard]] std::string take() { return std::move(out_); }

  // `title` is the tooltip; empty for none.
  void path(std::string_view classes, const std::string& data, std::string_view attributes = "",
            std::string_view title = "");
  void line(std::string_view classes, Point from, Point to);
  void rect(std::string_view classes, const Rect& rect, std::string_view attributes = "");
  // `at` is the start, middle or end of the baseline.
  void text(std::string_view text, Point at, const TextStyle& style, std::string_view subscript = "");

 private:
  std::string out_;
};

// "f0" and "s0": the classes that fill and stroke with this colour.
std::string fill_class(Color color);
std::string stroke_class(Color color);
std::string_view dash_class(Dash dash);  // with a leading space, or empty

// Path data.
std::string line_data(std::span<const Point> points);
std::string area_data(std::span<const Point> corners);
std::string rect_data(const Rect& rect);
std::string shape_data(Shape shape, Point centre, double size);
// Whether a shape consists of strokes only, without fill.
bool is_open(Shape shape);

}  // namespace pair::plot
