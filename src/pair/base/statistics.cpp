#include "pair/base/statistics.h"

#include <cmath>

namespace pair::base {

MeanAndDeviation mean_and_deviation(std::span<const double> values, Deviation kind) {
  MeanAndDeviation result;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    result.mean += value / count;
  }
  const double divisor = kind == Deviation::sample ? count - 1.0 : count;
  if (divisor <= 0.0) {
    return result;
  }
  double square = 0.0;
  for (const double value : values) {
    square += (value - result.mean) * (value - result.mean) / divisor;
  }
  result.deviation = std::sqrt(square);
  return result;
}

}  // namespace pair::base
