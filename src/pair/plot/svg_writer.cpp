#include "pair/plot/svg_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "pair/plot/text.h"

namespace pair::plot {
namespace {

std::string number(std::size_t i) {
  return std::to_string(i);
}

// Relative moves from the last point.
std::string move(double x, double y) {
  return "m" + px(x) + " " + px(y);
}
std::string draw(double x, double y) {
  return "l" + px(x) + " " + px(y);
}

}  // namespace

std::string px(double value) {
  char buffer[32];
  // Far outside any drawing. Guarantees that the buffer suffices for any input.
  const double bounded = std::isfinite(value) ? std::fmax(std::fmin(value, 1e9), -1e9) : 0.0;
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, bounded, std::chars_format::fixed, 2);
  std::string text(buffer, result.ptr);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

void SvgWriter::path(std::string_view classes, const std::string& data, std::string_view attributes,
                     std::string_view title) {
  if (data.empty()) {
    return;
  }
  out_ += "<path";
  if (!classes.empty()) {
    out_.append(" class=\"").append(classes).append("\"");
  }
  out_.append(attributes.empty() ? "" : " ").append(attributes).append(" d=\"").append(data);
  if (title.empty()) {
    out_ += "\"/>\n";
  } else {
    out_.append("\"><title>").append(escaped(title)).append("</title></path>\n");
  }
}

void SvgWriter::line(std::string_view classes, Point from, Point to) {
  path(classes, line_data(std::array{from, to}));
}

void SvgWriter::rect(std::string_view classes, const Rect& rect, std::string_view attributes) {
  out_ += "<rect";
  if (!classes.empty()) {
    out_.append(" class=\"").append(classes).append("\"");
  }
  out_.append(attributes.empty() ? "" : " ").append(attributes);
  out_ += " x=\"" + px(rect.x) + "\" y=\"" + px(rect.y) + "\" width=\"" + px(rect.width) + "\" height=\"" +
          px(rect.height) + "\"/>\n";
}

void SvgWriter::text(std::string_view text, Point at, const TextStyle& style, std::string_view subscript) {
  if (text.empty() && subscript.empty()) {
    return;
  }
  out_ += "<text class=\"" + fill_class(style.color) + (style.halo ? " halo" : "") + "\" font-size=\"" +
          px(style.size) + "\"";
  const double degrees = style.upright ? -90.0 : style.slant;
  if (degrees != 0.0) {
    out_ += " transform=\"translate(" + px(at.x) + " " + px(at.y) + ")rotate(" + px(degrees) + ")\"";
  } else {
    out_ += " x=\"" + px(at.x) + "\" y=\"" + px(at.y) + "\"";
  }
  if (style.anchor != Anchor::start) {
    out_ += style.anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  }
  out_ += style.bold ? " font-weight=\"600\">" : ">";
  out_ += escaped(text);
  if (!subscript.empty()) {
    out_ += "<tspan dy=\"" + px(0.25 * style.size) + "\" font-size=\"" + px(0.75 * style.size) + "\">" +
            escaped(subscript) + "</tspan>";
  }
  out_ += "</text>\n";
}

std::string fill_class(Color color) {
  return "f" + number(static_cast<std::size_t>(color));
}

std::string stroke_class(Color color) {
  return "s" + number(static_cast<std::size_t>(color));
}

std::string_view dash_class(Dash dash) {
  constexpr std::array<std::string_view, 8> classes = {"", " d1", " d2", " d3", " d4", " d5", " d6", " d7"};
  return classes.at(static_cast<std::size_t>(dash));
}

std::string line_data(std::span<const Point> points) {
  std::string data;
  std::string last;
  for (const Point& point : points) {
    std::string place = px(point.x) + " " + px(point.y);
    if (data.empty()) {
      data = "M" + place;
    } else if (place != last || points.size() == 2) {
      data += "L" + place;
    }
    last = std::move(place);
  }
  return data;
}

std::string area_data(std::span<const Point> corners) {
  return corners.size() < 3 ? "" : line_data(corners) + "z";
}

std::string rect_data(const Rect& rect) {
  return "M" + px(rect.x) + " " + px(rect.y) + "h" + px(rect.width) + "v" + px(rect.height) + "h" +
         px(-rect.width) + "z";
}

std::string shape_data(Shape shape, Point centre, double size) {
  const double r = size / 2;
  const std::string at = "M" + px(centre.x) + " " + px(centre.y);
  switch (shape) {
    case Shape::circle: {
      const std::string arc = "a" + px(r) + " " + px(r) + " 0 1 0 ";
      return at + move(-r, 0) + arc + px(2 * r) + " 0" + arc + px(-2 * r) + " 0z";
    }
    case Shape::square: {
      const double s = 0.89 * r;  // same area as the circle
      return at + move(-s, -s) + "h" + px(2 * s) + "v" + px(2 * s) + "h" + px(-2 * s) + "z";
    }
    case Shape::triangle:
      return at + move(0, -1.2 * r) + draw(1.15 * r, 2 * r) + draw(-2.3 * r, 0) + "z";
    case Shape::triangle_down:
      return at + move(0, 1.2 * r) + draw(1.15 * r, -2 * r) + draw(-2.3 * r, 0) + "z";
    case Shape::diamond: {
      const double s = 1.25 * r;
      return at + move(0, -s) + draw(s, s) + draw(-s, s) + draw(-s, -s) + "z";
    }
    case Shape::cross:
      return at + move(-r, -r) + draw(2 * r, 2 * r) + move(0, -2 * r) + draw(-2 * r, 2 * r);
    case Shape::plus:
      return at + move(-1.2 * r, 0) + draw(2.4 * r, 0) + move(-1.2 * r, -1.2 * r) + draw(0, 2.4 * r);
    case Shape::star: {
      const double s = 1.2 * r, across = 0.87 * s;
      return at + move(0, -s) + draw(0, 2 * s) + move(-across, -1.5 * s) + draw(2 * across, s) + move(0, -s) +
             draw(-2 * across, s);
    }
  }
  return "";
}

bool is_open(Shape shape) {
  return shape == Shape::cross || shape == Shape::plus || shape == Shape::star;
}

}  // namespace pair::plot
