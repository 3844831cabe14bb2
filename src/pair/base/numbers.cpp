#include "pair/base/numbers.h"

#include <charconv>
#include <stdexcept>
#include <system_error>

namespace pair::base {
namespace {

std::string formatted(double value, std::chars_format format, int precision) {
  std::string text(32, '\0');
  auto result = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  while (result.ec == std::errc::value_too_large) {  // the largest double has 309 digits before the point
    text.resize(2 * text.size());
    result = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  }
  text.resize(static_cast<std::size_t>(result.ptr - text.data()));
  return text;
}

}  // namespace

std::string shown(double value) {
  char buffer[32];  // the longest, -1.7976931348623157e+308, takes 24
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::string with_digits(double value, int digits) {
  return formatted(value, std::chars_format::general, digits);
}

std::string with_decimals(double value, int decimals) {
  return formatted(value, std::chars_format::fixed, decimals);
}

std::string with_exponent(double value, int decimals) {
  return formatted(value, std::chars_format::scientific, decimals);
}

std::string with_deviation(double mean, double deviation, int decimals) {
  return with_decimals(mean, decimals) + " +- " + with_decimals(deviation, decimals);
}

double rounded(double value) {
  const std::string text = with_digits(value);
  double nearest = value;  // kept if it is not finite
  std::from_chars(text.data(), text.data() + text.size(), nearest);
  return nearest;
}

void require_integer(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw std::invalid_argument(std::string(name) + ": expected an integer from " + std::to_string(low) +
                                " to " + std::to_string(high) + ", got " + std::to_string(value));
  }
}

}  // namespace pair::base
