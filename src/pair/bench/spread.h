#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

// How benchmarks summarise their rounds.

namespace pair::bench {

// The value below which the share lies; values is not empty.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

// The upper one of two in the middle.
inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

inline nlohmann::ordered_json spread(const std::vector<double>& values) {
  return {{"median", quantile(values, 0.5)}, {"p10", quantile(values, 0.1)}, {"p90", quantile(values, 0.9)}};
}

}  // namespace pair::bench
