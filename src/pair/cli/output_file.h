#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "pair/plot/figure.h"

// Files that a command writes because an option names them.

namespace pair::cli {

// Throws std::runtime_error where the file cannot be written.
void write_output(const std::string& path, std::string_view bytes);

// A figure's file, of the kind that its name says: .svg or .png is drawn, .json has the numbers.
// Throws UsageError for another name; `option` stands in the sentence. Call it before the work begins.
void check_figure_name(std::string_view option, const std::string& path);
// draw is called for a file that is drawn. theme: auto, light or dark.
void write_figure(const std::string& path, const nlohmann::json& numbers,
                  const std::function<plot::Figure()>& draw, const std::string& theme);

}  // namespace pair::cli
