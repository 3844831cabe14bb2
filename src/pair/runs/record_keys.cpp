#include "pair/runs/record_keys.h"

#include <charconv>
#include <system_error>

namespace pair::runs {

std::optional<EnvironmentKey> environment_key(std::string_view key) {
  constexpr std::string_view before = "env";
  if (!key.starts_with(before)) {
    return std::nullopt;
  }
  EnvironmentKey parts;
  const char* const end = key.data() + key.size();
  const auto [stopped, error] = std::from_chars(key.data() + before.size(), end, parts.number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  parts.rest = std::string_view(stopped, end);
  return parts;
}

std::optional<std::size_t> environment_number(const std::string& key) {
  const std::optional<EnvironmentKey> parts = environment_key(key);
  return parts ? std::optional(parts->number) : std::nullopt;
}

std::string environment_name(const std::string& key, const std::vector<std::string>& names) {
  const std::optional<std::size_t> number = environment_number(key);
  return number && *number < names.size() ? names[*number] : key;
}

std::string part_of(std::string_view key, bool test_environment, bool counts) {
  if (counts) {
    return "test";
  }
  const bool held_out = key.ends_with("_out") || key == "id_test";
  if (!key.starts_with("env") && !held_out) {
    return "validation";
  }
  if (test_environment) {
    return held_out ? "test, held out" : "validation";
  }
  return held_out ? "train, held out" : "train";
}

}  // namespace pair::runs
