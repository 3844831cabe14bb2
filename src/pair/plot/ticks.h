#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Positions and labels of the ticks of an axis.

namespace pair::plot {

struct Tick {
  double value = 0.0;
  std::string label = {};
};

struct Ticks {
  std::vector<Tick> major = {};    // ascending, within [low, high]
  std::vector<double> minor = {};  // ascending, without labels
  int exponent = 0;                // values are labels times 10^exponent
};

// Multiples of 1, 2 or 5 times a power of ten, with the closest spacing that gives at most `most` (at least
// 2) ticks. Labels have as many decimals as needed to tell them apart. Values from 1e5 or below 1e-3 share an
// exponent. Requires low < high, both finite and at most 1e300 in magnitude.
Ticks linear_ticks(double low, double high, std::size_t most);

// Powers of ten ("10⁻³", or "0.1", "1", "10" if all are near 1). If there are too many, only every second,
// third, ... one; if there are few, with minor ticks at 2 to 9 times each. Linear ticks on less than a
// decade. Requires 0 < low < high, finite.
Ticks log_ticks(double low, double high, std::size_t most);

// For example "10⁵".
std::string power_of_ten(int exponent);

// The number with this many decimals (0 or more) and "−" for minus.
std::string with_decimals(double value, int decimals);

// A number for display: at most four significant digits, "−" for minus, "1.2×10⁻⁷" for very small or large
// values.
std::string readable(double value);

}  // namespace pair::plot
