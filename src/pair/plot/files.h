#pragma once

#include <filesystem>
#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

// Writes the figure as the suffix says: .svg, .png or .csv. A PNG is light where the theme is automatic.
// Throws std::invalid_argument for another suffix and std::runtime_error where the file cannot be written or
// the build has no PNG. A file that is there already is replaced at once, by the whole new one or not at all.
void write_figure(const Figure& figure, const std::filesystem::path& file, Theme theme = Theme::automatic);

}  // namespace pair::plot
