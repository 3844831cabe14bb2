#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Where an axis has its marks, and what stands beside them.

namespace pair::plot {

struct Tick {
  double value = 0.0;
  std::string label = {};
};

struct Ticks {
  std::vector<Tick> major = {};    // ascending, within [low, high]
  std::vector<double> minor = {};  // likewise, without label
  int exponent = 0;                // labels times 10^exponent are the values
};

// Multiples of 1, 2 or 5 times a power of ten, the closest spacing that gives at most `most` (2 or more) of
// them; labels with as many decimals as tell them apart. Values from 1e5 up and below 1e-3 share an exponent.
// low < high, both finite and at most 1e300 in size.
Ticks linear_ticks(double low, double high, std::size_t most);

// Powers of ten ("10⁻³", or "0.1", "1", "10" where all are near 1), every second, third, ... of them where
// they are many, with 2 to 9 times them as minor ticks where they are few. On less than a decade, linear
// ones. 0 < low < high, finite.
Ticks log_ticks(double low, double high, std::size_t most);

// "10⁵".
std::string power_of_ten(int exponent);

// The number with this many decimals (0 or more) and "−" for minus.
std::string with_decimals(double value, int decimals);

// A number for people: four significant digits at most, "−" for minus, "1.2×10⁻⁷" for what is far from 1.
std::string readable(double value);

}  // namespace pair::plot
