#include "pair/base/numbers.h"

#include <charconv>

namespace pair::base {

std::string shown(double value) {
  char buffer[32];  // the longest, -1.7976931348623157e+308, takes 24
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

}  // namespace pair::base
