#include "pair/moo/preference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pair::moo {
namespace {

// Values divided by the power of two next to their largest: exact, and keeps sums and products in range.
std::vector<double> brought_to_unit(std::span<const double> values) {
  const int exponent = std::ilogb(*std::max_element(values.begin(), values.end()));
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [exponent](double value) { return std::ldexp(value, -exponent); });
  return result;
}

}  // namespace

bool Stance::most_violated(std::size_t objective) const {
  constexpr double tie = 1.0 - 4 * std::numeric_limits<double>::epsilon();
  return weighted[objective] >= tie * *std::max_element(weighted.begin(), weighted.end());
}

Stance stance_of(const Problem& problem) {
  const std::size_t m = problem.size();
  const auto count = static_cast<double>(m);
  Stance stance;

  stance.preference = brought_to_unit(problem.preference);
  const double preference_sum = std::accumulate(stance.preference.begin(), stance.preference.end(), 0.0);
  for (double& p : stance.preference) {
    p /= preference_sum;
  }

  stance.weighted = brought_to_unit(problem.losses);
  double weighted_sum = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    stance.weighted[i] *= stance.preference[i];
    weighted_sum += stance.weighted[i];
  }

  stance.normalised.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    const double share = stance.weighted[i] / weighted_sum;
    stance.normalised[i] = share;
    if (share > std::numeric_limits<double>::epsilon()) {
      stance.divergence += share * std::log(share * count);
    }
  }

  stance.adjustment.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    const double share = std::max(stance.normalised[i], std::numeric_limits<double>::min());
    stance.adjustment[i] = stance.preference[i] * (std::log(share * count) - stance.divergence);
  }
  return stance;
}

}  // namespace pair::moo
