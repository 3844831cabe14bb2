#include "pair/runs/value_json.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace pair::runs {

nlohmann::json as_json(const base::Value& value) {
  return std::visit([](const auto& plain) { return nlohmann::json(plain); }, value);
}

std::optional<base::Value> value_from(const nlohmann::json& value) {
  if (value.is_boolean()) {
    return base::Value(value.get<bool>());
  }
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
    return base::Value(value.get<std::uint64_t>());
  }
  if (value.is_number_integer()) {
    return base::Value(value.get<std::int64_t>());
  }
  if (value.is_number()) {
    return base::Value(value.get<double>());
  }
  if (value.is_string()) {
    return base::Value(value.get<std::string>());
  }
  if (!value.is_array()) {
    return std::nullopt;
  }
  const auto all = [&value](auto is) { return std::all_of(value.begin(), value.end(), is); };
  if (!value.empty() && all([](const nlohmann::json& entry) { return entry.is_string(); })) {
    return base::Value(value.get<std::vector<std::string>>());
  }
  if (!value.empty() && all([](const nlohmann::json& entry) { return entry.is_number_integer(); })) {
    return base::Value(value.get<std::vector<std::int64_t>>());
  }
  if (all([](const nlohmann::json& entry) { return entry.is_number(); })) {
    return base::Value(value.get<std::vector<double>>());
  }
  return std::nullopt;
}

}  // namespace pair::runs
