#include "pair/base/names.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace pair::base {
namespace {

constexpr std::size_t longest_shown = 60;

std::string printable(std::string_view name) {
  std::string shown(name.substr(0, longest_shown));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return name.size() > longest_shown ? shown + "..." : shown;
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return result;
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
  std::string_view best;
  std::size_t least = 0;
  if (name.size() > longest_shown) {
    return best;
  }
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool near = distance <= (candidate.size() + 2) / 3;
    if (near && (best.empty() || distance < least)) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known) {
  std::string message = "unknown " + std::string(kind) + " '" + printable(name) + "'";
  if (const std::string_view guess = nearest(name, known); !guess.empty()) {
    message += "; did you mean '" + std::string(guess) + "'?";
  } else {
    message += ".";
  }
  message += " Known: ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    message += (i == 0 ? "" : ", ") + std::string(known[i]);
  }
  return message;
}

}  // namespace pair::base
