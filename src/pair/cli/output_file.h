#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "pair/base/files.h"
#include "pair/plot/figure.h"

// Output files named by options.

namespace pair::cli {

using base::write_output;

// A figure's file; the suffix decides the kind: .svg or .png is drawn, .json has the numbers. Throws
// UsageError for any other suffix; `option` is used in the message. Call it before the work begins.
void check_figure_name(std::string_view option, const std::string& path);
// draw is called for .svg and .png. theme: auto, light or dark.
void write_figure(const std::string& path, const nlohmann::json& numbers,
                  const std::function<plot::Figure()>& draw, const std::string& theme);

}  // namespace pair::cli
