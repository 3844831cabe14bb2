#pragma once

#include <filesystem>
#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

// Writes the figure in the format of the suffix: .svg, .png or .csv. A PNG with the automatic theme is light.
// An existing file is replaced atomically. Throws std::invalid_argument for any other suffix, and
// std::runtime_error if the file cannot be written or the build has no PNG support.
void write_figure(const Figure& figure, const std::filesystem::path& file, Theme theme = Theme::automatic);

}  // namespace pair::plot
