#include "pair/plot/style_sheet.h"

#include <functional>
#include <string>
#include <vector>

#include "pair/base/tables.h"
#include "pair/plot/figure.h"

namespace pair::plot {
namespace {

struct Rule {
  std::string classes;
  std::string property;
  std::string variable;
  std::function<Rgb(Theme)> color;
};

std::vector<Rule> color_rules() {
  std::vector<Rule> rules = {{".bg", "fill", "bg", background},
                             {".halo", "stroke", "bg", background},
                             {".edge", "stroke", "bg", background},
                             {".grid", "stroke", "grid", grid_paint}};
  for (std::size_t i = 0; i < color_count; ++i) {
    const std::string number = std::to_string(i);
    const auto color = [i](Theme theme) { return paint(static_cast<Color>(i), theme); };
    rules.push_back({".f" + number, "fill", "c" + number, color});
    rules.push_back({".s" + number, "stroke", "c" + number, color});
  }
  return rules;
}

std::string variables(Theme theme) {
  std::string text = "--bg:" + hex(background(theme)) + ";--grid:" + hex(grid_paint(theme));
  for (std::size_t i = 0; i < color_count; ++i) {
    text += ";--c" + std::to_string(i) + ":" + hex(paint(static_cast<Color>(i), theme));
  }
  return text;
}

}  // namespace

std::string_view root_class(Theme theme) {
  return theme == Theme::dark ? "pair-dark" : theme == Theme::light ? "pair-light" : "pair-auto";
}

std::string style_sheet(Theme theme) {
  const std::string root = "." + std::string(root_class(theme));
  std::string text;
  if (theme == Theme::automatic) {
    text += root + "{" + variables(Theme::light) + "}\n@media (prefers-color-scheme:dark){" + root + "{" +
            variables(Theme::dark) + "}" + root + " .shade{filter:invert(1)}}\n";
  }
  // More specific rules come later: a halo strokes any class that fills.
  text += root + " .line{fill:none;stroke-linejoin:round}\n" + root + " .grid{fill:none}\n";
  for (const Rule& rule : color_rules()) {
    text += root + " " + rule.classes + "{" + rule.property + ":" + hex(rule.color(theme));
    if (theme == Theme::automatic) {
      text += ";" + rule.property + ":var(--" + rule.variable + ")";
    }
    text += "}\n";
  }
  text += root + " .halo{stroke-width:3px;stroke-opacity:0.8;stroke-linejoin:round;paint-order:stroke}\n";
  for (std::size_t i = 1; i < dash_count; ++i) {  // the first is solid
    text += root + " .d" + std::to_string(i) + "{stroke-dasharray:" +
            base::joined(lengths_of(dash(i)), " ", [](int length) { return std::to_string(length); }) + "}\n";
  }
  return text;
}

}  // namespace pair::plot
