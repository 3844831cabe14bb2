#include "pair/runs/record_keys.h"

#include <sstream>

namespace pair::runs {

std::optional<std::size_t> environment_number(const std::string& key) {
  constexpr std::string_view before = "env";
  std::size_t number = 0;
  const bool has_number =
      key.starts_with(before) && static_cast<bool>(std::istringstream(key.substr(before.size())) >> number);
  return has_number ? std::optional(number) : std::nullopt;
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
