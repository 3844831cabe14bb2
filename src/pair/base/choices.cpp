#include "pair/base/choices.h"

#include <algorithm>
#include <utility>

#include "pair/base/names.h"

namespace pair::base {
namespace {

// A longer name is not a typo, and its distance takes time.
constexpr std::size_t longest_compared = 60;

}  // namespace

std::string unexpected_name(std::string_view subject, std::string_view name,
                            std::span<const std::string_view> known) {
  const std::string_view guess = nearest(name, known);
  return std::string(subject) + ": expected " + alternatives(known) + ", got '" +
         printable(name.substr(0, longest_compared)) + (name.size() > longest_compared ? "..." : "") + "'" +
         (guess.empty() ? "" : "; did you mean '" + std::string(guess) + "'?");
}

std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text.append(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ").append(names[i]);
  }
  return text;
}

std::vector<std::string_view> nearest_names(std::string_view name, std::span<const std::string_view> known,
                                            std::size_t count) {
  const std::string start = plain_name(name.substr(0, longest_compared));
  std::vector<std::pair<std::size_t, std::string_view>> by_distance;
  for (const std::string_view candidate : known) {
    by_distance.emplace_back(edit_distance(start, plain_name(candidate)), candidate);
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min(count, by_distance.size()); ++i) {
    names.push_back(by_distance[i].second);
  }
  return names;
}

}  // namespace pair::base
