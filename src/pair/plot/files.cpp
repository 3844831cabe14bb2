#include "pair/plot/files.h"

#include <stdexcept>

#include "pair/base/files.h"
#include "pair/plot/csv.h"
#include "pair/plot/png.h"
#include "pair/plot/svg.h"

namespace pair::plot {
namespace {

std::string content_of(const Figure& figure, const std::filesystem::path& file, Theme theme) {
  const std::string suffix = file.extension().string();
  if (suffix == ".svg") {
    return to_svg(figure, {.theme = theme});
  }
  if (suffix == ".png") {
    return to_png(figure, {.theme = theme});
  }
  if (suffix == ".csv") {
    return to_csv(figure);
  }
  throw std::invalid_argument("'" + file.string() + "': expected the suffix .svg, .png or .csv, got '" +
                              suffix + "'");
}

}  // namespace

void write_figure(const Figure& figure, const std::filesystem::path& file, Theme theme) {
  base::write_output(file, content_of(figure, file, theme));
}

}  // namespace pair::plot
