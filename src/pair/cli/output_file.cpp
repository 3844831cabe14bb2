#include "pair/cli/output_file.h"

#include <nlohmann/json.hpp>

#include "pair/cli/command.h"
#include "pair/plot/files.h"

namespace pair::cli {
namespace {

bool is_drawn(const std::string& path) {
  return path.ends_with(".svg") || path.ends_with(".png");
}

}  // namespace

void check_figure_name(std::string_view option, const std::string& path) {
  if (!is_drawn(path) && !path.ends_with(".json")) {
    throw UsageError(std::string(option) + ": expected a name that ends in .svg, .png or .json, got '" +
                     path + "'");
  }
}

void write_figure(const std::string& path, const nlohmann::json& numbers,
                  const std::function<plot::Figure()>& draw, const std::string& theme) {
  if (is_drawn(path)) {
    plot::write_figure(draw(), path, plot::theme_from(theme));
  } else {
    write_output(path, numbers.dump() + '\n');
  }
}

}  // namespace pair::cli
