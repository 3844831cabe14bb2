#include "pair/select/means.h"

#include <array>
#include <cmath>
#include <vector>

namespace pair::select {

double pairwise_sum(std::span<const double> values) {
  constexpr std::size_t lanes = 8;
  constexpr std::size_t block = 128;
  const std::size_t count = values.size();
  if (count > block) {
    const std::size_t half = count / 2 - (count / 2) % lanes;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
  }
  double sum = 0.0;
  std::size_t next = 0;
  if (count >= lanes) {
    std::array<double, lanes> lane{};
    for (; next + lanes <= count; next += lanes) {
      for (std::size_t i = 0; i < lanes; ++i) {
        lane[i] += values[next + i];
      }
    }
    sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  for (; next < count; ++next) {
    sum += values[next];
  }
  return sum;
}

double mean(std::span<const double> values) {
  return pairwise_sum(values) / static_cast<double>(values.size());
}

MeanAndError mean_and_error(std::span<const double> accuracies) {
  const double root = std::sqrt(static_cast<double>(accuracies.size()));
  std::vector<double> scaled;
  scaled.reserve(accuracies.size());
  for (const double accuracy : accuracies) {
    scaled.push_back(accuracy / root);
  }
  const double centre = mean(scaled);
  for (double& value : scaled) {
    value = (value - centre) * (value - centre);
  }
  return {100.0 * mean(accuracies), 100.0 * std::sqrt(mean(scaled))};
}

}  // namespace pair::select
