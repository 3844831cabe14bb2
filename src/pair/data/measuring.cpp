#include "pair/data/measuring.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "pair/data/random.h"

namespace pair::data {

std::int64_t Measuring::count(std::int64_t n) const {
  return std::clamp<std::int64_t>(std::llround(share * static_cast<double>(n)), 1, n - 1);
}

std::vector<std::int64_t> measuring_order(std::uint64_t seed, std::size_t environment, std::size_t n) {
  if (n < 2) {
    throw std::invalid_argument(
        "samples of an environment: expected at least 2, one to measure and one to train on (measure_share), "
        "got " +
        std::to_string(n));
  }
  return Random(seed, "measuring/" + std::to_string(environment)).permutation(n);
}

}  // namespace pair::data
