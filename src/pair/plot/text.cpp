#include "pair/plot/text.h"

#include <array>
#include <cstdint>

namespace pair::plot {
namespace {

// Hundredths of an em, from ' ' to '~'.
constexpr std::array<std::uint8_t, 95> widths = {
    32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};

constexpr char32_t broken = 0xfffd;

// Removes the first character from `text` and returns it; `broken` for an invalid byte.
char32_t next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0x80       ? 1
                             : first >> 5 == 6  ? 2
                             : first >> 4 == 14 ? 3
                             : first >> 3 == 30 ? 4
                                                : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return broken;
  }
  constexpr std::array<std::uint8_t, 5> masks = {0, 0x7f, 0x1f, 0x0f, 0x07};
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  char32_t character = first & masks.at(length);
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) {
      text.remove_prefix(1);
      return broken;
    }
    character = (character << 6) | (byte(i) & 0x3fU);
  }
  text.remove_prefix(length);
  const bool allowed = character >= least.at(length) && character <= 0x10ffff &&
                       (character < 0xd800 || character > 0xdfff) && (character & 0xfffeU) != 0xfffe &&
                       (character < 0xfdd0 || character > 0xfdef);
  return allowed ? character : broken;
}

void append(std::string& text, char32_t character) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<std::uint8_t>(byte)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xc0U | (character >> 6));
    put(0x80U | (character & 0x3fU));
  } else if (character < 0x10000) {
    put(0xe0U | (character >> 12));
    put(0x80U | ((character >> 6) & 0x3fU));
    put(0x80U | (character & 0x3fU));
  } else {
    put(0xf0U | (character >> 18));
    put(0x80U | ((character >> 12) & 0x3fU));
    put(0x80U | ((character >> 6) & 0x3fU));
    put(0x80U | (character & 0x3fU));
  }
}

char32_t harmless(char32_t character) {
  if (character == '\n' || character == '\r' || character == '\t') {
    return ' ';
  }
  const bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
  return control ? broken : character;
}

double width_of(char32_t character) {
  if (character >= ' ' && character <= '~') {
    return widths.at(character - ' ') / 100.0;
  }
  const bool combining = (character >= 0x300 && character < 0x370) || character == 0x200d ||
                         (character >= 0xfe00 && character < 0xfe10);
  const bool raised_digit = character == 0xb2 || character == 0xb3 || character == 0xb9 ||
                            (character >= 0x2070 && character < 0x20a0);
  const bool wide = (character >= 0x1100 && character < 0x1160) ||
                    (character >= 0x2e80 && character < 0xd7a4) ||
                    (character >= 0xf900 && character < 0xfb00) ||
                    (character >= 0xff00 && character < 0xff61) || character >= 0x1f000;
  return combining ? 0.0 : raised_digit ? 0.42 : wide ? 1.1 : 0.7;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    append(result, harmless(next_character(text)));
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

double text_width(std::string_view text, double font_size) {
  double width = 0.0;
  while (!text.empty()) {
    width += width_of(harmless(next_character(text)));
  }
  return width * font_size;
}

std::string shortened(std::string_view text, double font_size, double width) {
  if (text_width(text, font_size) <= width) {
    return std::string(text);
  }
  std::string result;
  double used = font_size;  // width of the dots
  while (!text.empty()) {
    const char32_t character = harmless(next_character(text));
    used += width_of(character) * font_size;
    if (used > width) {
      break;
    }
    append(result, character);
  }
  return result + "…";
}

}  // namespace pair::plot
