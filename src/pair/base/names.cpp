#include "pair/base/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <vector>

#include "pair/base/tables.h"

namespace pair::base {
namespace {

constexpr std::size_t longest_shown = 60;

// The edit distance; none if it is too large for a misspelling, of which some letter is right.
std::optional<std::size_t> slips(std::string_view name, std::string_view known) {
  const std::size_t distance = edit_distance(name, known);
  const bool near = distance <= (known.size() + 2) / 3 && distance < known.size();
  return near ? std::optional(distance) : std::nullopt;
}

// The length in bytes and the code point of the first character; length 0 if it is not UTF-8.
struct Character {
  std::size_t length = 0;
  std::uint32_t number = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return {1, lead};
  }
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
    return {};
  }
  std::uint32_t number = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return {};
    }
    number = number << 6U | (byte(i) & 0x3fU);
  }
  const bool surrogate = number >= 0xd800 && number < 0xe000;
  return number < least[length] || number > 0x10ffff || surrogate ? Character{} : Character{length, number};
}

bool is_printable(std::uint32_t number) {
  const bool control = number < 0x20 || (number >= 0x7f && number < 0xa0);
  const bool separates = number == 0x2028 || number == 0x2029;
  const bool turns = number == 0x061c || number == 0x200e || number == 0x200f ||
                     (number >= 0x202a && number <= 0x202e) || (number >= 0x2066 && number <= 0x2069);
  return !control && !separates && !turns;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::string plain_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result.push_back(c);
    }
  }
  return lower_case(result);
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    shown += character.length > 0 && is_printable(character.number) ? text.substr(0, length) : "?";
    text.remove_prefix(length);
  }
  return shown;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& cell = table[i * width + j];
      if (i == 0 || j == 0) {
        cell = i + j;
        continue;
      }
      const std::size_t replaced = table[(i - 1) * width + j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell = std::min({table[(i - 1) * width + j] + 1, table[i * width + j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cell = std::min(cell, table[(i - 2) * width + j - 2] + 1);
      }
    }
  }
  return table.back();
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> known) {
  if (name.size() > longest_shown) {
    return {};
  }
  const std::string typed = plain_name(name);
  std::string_view best;
  std::size_t least = 0;
  for (const std::string_view candidate : known) {
    const std::string its = plain_name(candidate);
    // plain_name has no letters outside of ASCII, so the names are compared as they are, too.
    for (const std::optional<std::size_t> distance : {slips(name, candidate), slips(typed, its)}) {
      if (distance && (best.empty() || *distance < least)) {
        best = candidate;
        least = *distance;
      }
    }
  }
  if (!best.empty()) {
    return best;
  }
  // A name that was cut short or continued: 'env' for 'environment', 'batch_size' for 'batch'.
  constexpr std::size_t least_common = 3;
  for (const std::string_view candidate : known) {
    const std::string its = plain_name(candidate);
    const bool continues = its.starts_with(typed) || typed.starts_with(its);
    if (continues && std::min(its.size(), typed.size()) >= least_common &&
        (best.empty() || candidate.size() < best.size())) {
      best = candidate;
    }
  }
  return best;
}

std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  const auto is_inside = [text](std::size_t place) {
    return (static_cast<unsigned char>(text[place]) & 0xc0U) == 0x80U;
  };
  std::size_t end = most;
  while (end > 0 && most - end < 3 && is_inside(end)) {
    --end;
  }
  // Bytes that are not UTF-8 are cut anywhere.
  return text.substr(0, is_inside(end) ? most : end);
}

std::string shortened(std::string_view text, std::size_t most) {
  return std::string(beginning(text, most)) + (text.size() > most ? "..." : "");
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known) {
  std::string message =
      "unknown " + std::string(kind) + " '" + printable(shortened(name, longest_shown)) + "'";
  if (const std::string_view guess = nearest(name, known); !guess.empty()) {
    message += "; did you mean '" + std::string(guess) + "'?";
  } else {
    message += ".";
  }
  return message + " Known: " + joined(known);
}

}  // namespace pair::base
