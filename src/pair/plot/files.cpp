#include "pair/plot/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

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
  throw std::invalid_argument("'" + file.string() + "' ends in '" + suffix +
                              "'; accepted for a figure are .svg, .png and .csv");
}

}  // namespace

void write_figure(const Figure& figure, const std::filesystem::path& file, Theme theme) {
  const std::string content = content_of(figure, file, theme);
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  if (!stream.flush()) {
    throw std::runtime_error("'" + file.string() + "' could not be written: " + std::strerror(errno));
  }
}

}  // namespace pair::plot
