#pragma once

#include <string>
#include <string_view>

// Text in a drawing: safe in XML whatever it is, and measured without a font.

namespace pair::plot {

// Well-formed UTF-8 without anything that XML forbids or a viewer might act on: line ends and tabs become
// spaces; other control characters, broken sequences, surrogates and non-characters become U+FFFD.
std::string clean(std::string_view text);

// clean, with & < > " ' as entities: for XML text and attributes alike.
std::string escaped(std::string_view text);

// About how wide the text is at this font size, in px: as in DejaVu Sans, wider than most sans-serif fonts.
// `text` is UTF-8; 1.1 em for what is wide, such as emoji.
double text_width(std::string_view text, double font_size);

// The text, or as much of it as fits into the width with "…" after it.
std::string shortened(std::string_view text, double font_size, double width);

}  // namespace pair::plot
