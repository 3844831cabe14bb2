#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

// Numbers as text.

namespace pair::base {

// The shortest text that reads back as the same value: "0.1", "1e-100", "inf", "nan".
std::string shown(double value);

// At most `digits` significant digits: "0.333333", "1e+06", "nan". As C's %.6g in any locale.
std::string with_digits(double value, int digits = 6);

// `decimals` digits after the point: "71.4", "-0.0", "inf". As C's %.1f in any locale.
std::string with_decimals(double value, int decimals);

// One digit, the point, `decimals` digits and a power of ten: "1.2e-05". As C's %.1e in any locale.
std::string with_exponent(double value, int decimals);

// "68.5 +- 1.0".
std::string with_deviation(double mean, double deviation, int decimals);

// The number that the whole text is, in std::from_chars' form: digits with an optional minus sign, but no plus
// sign and no spaces. None if the text is anything else, or the number is out of range.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

// The value rounded to six significant digits, so that shown() and JSON have no more.
double rounded(double value);

// Throws std::invalid_argument "NAME: expected an integer from LOW to HIGH, got VALUE" if it is not.
void require_integer(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high);

}  // namespace pair::base
