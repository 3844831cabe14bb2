#include "pair/report/number.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "pair/base/numbers.h"

namespace pair::report {

nlohmann::json number(double value) {
  constexpr double most_whole = 1e6;
  if (!std::isfinite(value)) {
    return nullptr;
  }
  if (std::floor(value) == value && std::abs(value) < most_whole) {
    return static_cast<std::int64_t>(value);
  }
  return base::rounded(value);
}

nlohmann::json numbers(std::span<const double> values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) {
    list.push_back(number(value));
  }
  return list;
}

std::string said(double value) {
  return base::with_digits(value, 3);
}

std::string said_accuracy(double value) {
  return base::with_decimals(100.0 * value, 1) + "%";
}

std::string counted(std::size_t count, const std::string& singular, const std::string& plural) {
  return std::to_string(count) + " " + (count == 1 ? singular : plural.empty() ? singular + "s" : plural);
}

}  // namespace pair::report
