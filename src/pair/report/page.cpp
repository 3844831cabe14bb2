#include "pair/report/page.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "pair/base/base64.h"
#include "pair/base/tables.h"
#include "pair/data/sha256.h"
#include "pair/plot/color.h"
#include "pair/plot/figure.h"
#include "pair/plot/text.h"
#include "pair/report/assets.h"

namespace pair::report {
namespace {

using nlohmann::json;

// JSON that cannot end its script element and is also valid in old JavaScript: characters with a meaning in
// HTML or JavaScript are written as \uXXXX.
std::string as_data(const json& value) {
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size() + text.size() / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest[0] == '<') {
      safe += "\\u003c";
    } else if (rest[0] == '>') {
      safe += "\\u003e";
    } else if (rest[0] == '&') {
      safe += "\\u0026";
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      safe += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += rest[0];
    }
  }
  return safe;
}

// A script's source for use inside a script element. In JavaScript, "<" occurs before these words only in
// strings and regular expressions, where an extra backslash has no effect.
std::string as_script(std::string_view source) {
  std::string safe;
  safe.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    safe += source[i];
    const std::string_view rest = source.substr(i);
    if (rest.starts_with("</script") || rest.starts_with("<!--")) {
      safe += '\\';
    }
  }
  return safe;
}

std::string source_hash(const std::string& script) {
  const std::string hex = data::sha256(script);
  std::vector<std::uint8_t> digest;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    digest.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return " 'sha256-" + base::base64(digest) + "'";
}

// The colours of pair::plot for both themes, and its dashes as Plotly states them.
json palette() {
  json colors = json::object();
  for (const auto& [name, theme] :
       {std::pair("light", plot::Theme::light), std::pair("dark", plot::Theme::dark)}) {
    json marks = json::array();
    for (std::size_t i = 0; i < 8; ++i) {
      marks.push_back(plot::hex(plot::paint(plot::category(i), theme)));
    }
    colors[name] = {{"marks", std::move(marks)},
                    {"background", plot::hex(plot::background(theme))},
                    {"ink", plot::hex(plot::paint(plot::Color::ink, theme))},
                    {"muted", plot::hex(plot::paint(plot::Color::muted, theme))},
                    {"grid", plot::hex(plot::grid_paint(theme))}};
  }
  constexpr std::size_t stops = 17;
  for (const auto& [name, kind] :
       {std::pair("scale", plot::ColorScale::viridis), std::pair("diverging", plot::ColorScale::diverging)}) {
    json scale = json::array();
    for (std::size_t i = 0; i < stops; ++i) {
      const double t = static_cast<double>(i) / (stops - 1);
      scale.push_back({t, plot::hex(plot::scale_color(kind, t, plot::Theme::light).color)});
    }
    colors[name] = std::move(scale);
  }
  json dashes = json::array();
  for (std::size_t i = 0; i < plot::dash_count; ++i) {
    const std::vector<int> lengths = plot::lengths_of(plot::dash(i));
    dashes.push_back(lengths.empty() ? "solid" : base::joined(lengths, ",", [](int length) {
      return std::to_string(length) + "px";
    }));
  }
  colors["dashes"] = std::move(dashes);
  return colors;
}

}  // namespace

bool have_plotly() {
  return !plotly_script().empty();
}

std::string page(const nlohmann::json& payload, bool live) {
  const std::string plotly =
      have_plotly() ? "/*\n" + std::string(plotly_licence()) + "*/\n" + as_script(plotly_script()) : "";
  const std::string script = as_script(page_script());
  std::string policy = "default-src 'none'; script-src" + source_hash(script);
  policy += have_plotly() ? source_hash(plotly) : "";
  // Plotly sets styles while drawing, and its downloads use blob and data URLs.
  policy +=
      "; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; connect-src ";
  policy += live ? "'self'" : "'none'";
  const std::string title = plot::escaped(payload.value("title", std::string("Runs")));
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += R"(<meta http-equiv="Content-Security-Policy" content=")" + policy + "\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html +=
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n";
  html += "<link rel=\"icon\" href=\"data:,\">\n";
  html +=
      "<title>" + title + " - PAIR</title>\n<style>\n" + std::string(page_style()) + "</style>\n</head>\n";
  html += "<body>\n<noscript>This report needs JavaScript, which is disabled.</noscript>\n";
  html += R"(<script id="data" type="application/json">)" + as_data(payload) + "</script>\n";
  html += R"(<script id="page" type="application/json">)" +
          as_data({{"live", live}, {"plotly", have_plotly()}, {"palette", palette()}}) + "</script>\n";
  // The page comes before the plotting library: a browser takes a second to parse that and can show the rest
  // meanwhile.
  html += "<script>" + script + "</script>\n";
  if (have_plotly()) {
    html += "<script>" + plotly + "</script>\n";
  }
  html += "</body>\n</html>\n";
  return html;
}

}  // namespace pair::report
