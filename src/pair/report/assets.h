#pragma once

#include <string_view>

// What a page is made of, kept in the program.

namespace pair::report {

std::string_view plotly_script();   // empty where the build has none
std::string_view plotly_licence();  // likewise
std::string_view page_script();
std::string_view page_style();

}  // namespace pair::report
