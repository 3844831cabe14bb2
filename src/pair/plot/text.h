#pragma once

#include <string>
#include <string_view>

// Text in a drawing: always valid XML, and measured without a font.

namespace pair::plot {

// Well-formed UTF-8 without characters that XML forbids or that affect a viewer. Line ends and tabs become
// spaces; other control characters, invalid sequences, surrogates and non-characters become U+FFFD.
std::string clean(std::string_view text);

// clean(), with & < > " ' as entities, for XML text and attributes.
std::string escaped(std::string_view text);

// The approximate width of UTF-8 text in px: that of DejaVu Sans, which is wider than most sans-serif fonts.
// Wide characters, such as emoji, count as 1.1 em.
double text_width(std::string_view text, double font_size);

// The text, truncated with "…" if it is wider than `width`.
std::string shortened(std::string_view text, double font_size, double width);

}  // namespace pair::plot
