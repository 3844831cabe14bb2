#pragma once

#include <string_view>

// The parts of a page, embedded in the program.

namespace pair::report {

std::string_view plotly_script();   // empty if the build has none
std::string_view plotly_licence();  // empty if the build has none
std::string_view page_script();
std::string_view page_style();

}  // namespace pair::report
