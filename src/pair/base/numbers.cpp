#include "pair/base/numbers.h"

#include <charconv>
#include <stdexcept>

namespace pair::base {

std::string shown(double value) {
  char buffer[32];  // the longest, -1.7976931348623157e+308, takes 24
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

void require_integer(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw std::invalid_argument(std::string(name) + ": expected an integer from " + std::to_string(low) +
                                " to " + std::to_string(high) + ", got " + std::to_string(value));
  }
}

}  // namespace pair::base
