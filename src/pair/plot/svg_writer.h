#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/plot/figure.h"
#include "pair/plot/geometry.h"

// The SVG elements that figures are made of. Colours are classes (style_sheet.h), so that they can follow the
// theme.

namespace pair::plot {

// Hundredths of a px, in as few characters as show them.
std::string px(double value);

enum class Anchor : std::uint8_t { start, middle, end };

struct TextStyle {
  double size = 11;  // px
  Anchor anchor = Anchor::start;
  Color color = Color::ink;
  bool bold = false;
  bool upright = false;  // turned by a quarter, to be read from below
  double slant = 0.0;    // degrees; negative rises
  bool halo = false;     // the background's colour around the letters
};

class SvgWriter {
 public:
  // Already escaped.
  void raw(std::string_view text) { out_ += text; }
  [[nodiscard]] std::string take() { return std::move(out_); }

  // `title` is what a pointer over it brings up; empty for nothing.
  void path(std::string_view classes, const std::string& data, std::string_view attributes = "",
            std::string_view title = "");
  void line(std::string_view classes, Point from, Point to);
  void rect(std::string_view classes, const Rect& rect, std::string_view attributes = "");
  // The point is where the baseline starts, or its middle or end.
  void text(std::string_view text, Point at, const TextStyle& style, std::string_view subscript = "");

 private:
  std::string out_;
};

// "f0" and "s0": the classes that fill and stroke with a colour.
std::string fill_class(Color color);
std::string stroke_class(Color color);
std::string_view dash_class(Dash dash);  // with a space before it, or empty

// Path data.
std::string line_data(std::span<const Point> points);
std::string area_data(std::span<const Point> corners);
std::string rect_data(const Rect& rect);
std::string shape_data(Shape shape, Point centre, double size);
// Whether a shape is made of strokes, with nothing to fill.
bool is_open(Shape shape);

}  // namespace pair::plot
