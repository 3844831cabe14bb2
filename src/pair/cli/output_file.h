#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "pair/base/files.h"
#include "pair/plot/figure.h"

// Files that a command writes because an option names them.

namespace pair::cli {

using base::write_output;

// A figure's file, of the kind that its name says: .svg or .png is drawn, .json has the numbers.
// Throws UsageError for another name; `option` stands in the sentence. Call it before the work begins.
void check_figure_name(std::string_view option, const std::string& path);
// draw is called for a file that is drawn. theme: auto, light or dark.
void write_figure(const std::string& path, const nlohmann::json& numbers,
                  const std::function<plot::Figure()>& draw, const std::string& theme);

}  // namespace pair::cli
