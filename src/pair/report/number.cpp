#include "pair/report/number.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace pair::report {
namespace {

std::string formatted(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

}  // namespace

nlohmann::json number(double value) {
  constexpr double most_whole = 1e6;
  if (!std::isfinite(value)) {
    return nullptr;
  }
  if (std::floor(value) == value && std::abs(value) < most_whole) {
    return static_cast<std::int64_t>(value);
  }
  return std::strtod(formatted("%.6g", value).c_str(), nullptr);
}

nlohmann::json numbers(std::span<const double> values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) {
    list.push_back(number(value));
  }
  return list;
}

std::string said(double value) {
  return formatted("%.3g", value);
}

std::string said_accuracy(double value) {
  return formatted("%.1f%%", 100.0 * value);
}

std::string counted(std::size_t count, const std::string& singular, const std::string& plural) {
  return std::to_string(count) + " " + (count == 1 ? singular : plural.empty() ? singular + "s" : plural);
}

}  // namespace pair::report
