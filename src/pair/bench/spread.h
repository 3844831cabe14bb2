#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

// Statistics of benchmark rounds.

namespace pair::bench {

// The quantile of the values, which must not be empty.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

// The upper of the two middle values.
inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

inline nlohmann::ordered_json spread(const std::vector<double>& values) {
  return {{"median", quantile(values, 0.5)}, {"p10", quantile(values, 0.1)}, {"p90", quantile(values, 0.9)}};
}

}  // namespace pair::bench
