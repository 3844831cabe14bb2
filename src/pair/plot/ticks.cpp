#include "pair/plot/ticks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace pair::plot {
namespace {

constexpr int largest_plain = 4;    // 10^4: values up to 99999 are written out
constexpr int smallest_plain = -3;  // 10^-3

int magnitude(double value) {
  return static_cast<int>(std::floor(std::log10(std::abs(value))));
}

struct Step {
  int digit = 1;  // 1, 2 or 5
  int power = 0;

  [[nodiscard]] double size() const { return digit * std::pow(10.0, power); }
  // i times the step, correctly rounded: a division by 10^n is exact where a product with 10^-n is not.
  [[nodiscard]] double times(double i) const {
    return power < 0 ? i * digit / std::pow(10.0, -power) : i * digit * std::pow(10.0, power);
  }
  [[nodiscard]] Step next() const {
    return digit == 1 ? Step{2, power} : digit == 2 ? Step{5, power} : Step{1, power + 1};
  }
};

// Bounds that are multiples up to rounding count as multiples.
constexpr double slack = 1e-9;

}  // namespace

std::string with_decimals(double value, int decimals) {
  char buffer[400];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::fixed,
                                    std::max(decimals, 0));
  const std::string digits(buffer, result.ptr);
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !is_zero ? "−" : "") + digits;
}

Ticks linear_ticks(double low, double high, std::size_t most) {
  most = std::max<std::size_t>(most, 2);
  Step step{1, magnitude(high - low) - 2};
  double first = 0.0, last = 0.0;
  while (true) {
    first = std::ceil(low / step.size() - slack);
    last = std::floor(high / step.size() + slack);
    if (last - first + 1 <= static_cast<double>(most)) {
      break;
    }
    step = step.next();
  }
  Ticks ticks;
  const double largest = std::max(std::abs(first), std::abs(last)) * step.size();
  const int size = largest > 0 ? magnitude(largest * (1 + slack)) : 0;
  ticks.exponent = size > largest_plain || size < smallest_plain ? size : 0;
  const int decimals = ticks.exponent - step.power;
  for (std::int64_t n = 0; first + static_cast<double>(n) <= last; ++n) {
    const double i = first + static_cast<double>(n);
    const double value = step.times(i);
    const double shown = Step{step.digit, step.power - ticks.exponent}.times(i);
    ticks.major.push_back({std::clamp(value, low, high), with_decimals(shown, decimals)});
  }
  return ticks;
}

Ticks log_ticks(double low, double high, std::size_t most) {
  most = std::max<std::size_t>(most, 2);
  const int first = static_cast<int>(std::ceil(std::log10(low) - slack));
  const int last = static_cast<int>(std::floor(std::log10(high) + slack));
  if (last - first < 1) {
    return linear_ticks(low, high, most);
  }
  Ticks ticks;
  const int every = 1 + (last - first) / static_cast<int>(most);
  const bool plain = first >= smallest_plain && last <= largest_plain;
  for (int power = first - 1; power <= last; ++power) {
    const double value = std::pow(10.0, power);
    if (power >= first) {
      if (power % every == 0) {
        ticks.major.push_back(
            {std::clamp(value, low, high), plain ? with_decimals(value, -power) : power_of_ten(power)});
      } else {
        ticks.minor.push_back(value);
      }
    }
    for (int digit = 2; every == 1 && digit <= 9; ++digit) {
      if (digit * value >= low && digit * value <= high) {
        ticks.minor.push_back(digit * value);
      }
    }
  }
  return ticks;
}

std::string power_of_ten(int exponent) {
  constexpr std::array<std::string_view, 10> raised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) {
    text += raised[static_cast<std::size_t>(digit - '0')];
  }
  return text;
}

std::string readable(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  }
  if (value == 0.0) {
    return "0";
  }
  constexpr int digits = 4;
  char buffer[32];
  const auto rounded =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1);
  double same = 0.0;
  std::from_chars(buffer, rounded.ptr, same);
  const int size = magnitude(same);
  const bool plain = size >= smallest_plain && size <= largest_plain;
  std::string text =
      plain ? with_decimals(same, digits - 1 - size) : with_decimals(same / std::pow(10.0, size), digits - 1);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return plain ? text : text == "1" ? power_of_ten(size) : text + "×" + power_of_ten(size);
}

}  // namespace pair::plot
