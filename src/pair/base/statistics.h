#pragma once

#include <cstdint>
#include <span>

namespace pair::base {

enum class Deviation : std::uint8_t {
  population,  // divides by n
  sample       // divides by n - 1; 0 for one value
};

struct MeanAndDeviation {
  double mean = 0.0;
  double deviation = 0.0;
};

// The mean and standard deviation of finite values; zeros if there are none. Sums are taken in order.
// (DomainBed's tables need NumPy's order: select/means.h.)
MeanAndDeviation mean_and_deviation(std::span<const double> values, Deviation kind = Deviation::population);

}  // namespace pair::base
