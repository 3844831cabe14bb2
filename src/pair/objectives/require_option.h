#pragma once

#include <sstream>
#include <stdexcept>
#include <string_view>

namespace pair::objectives {

// Throws std::invalid_argument "fishr_ema is 1; accepted are numbers in [0, 1)" unless in_range.
template <class T>
void require_option(bool in_range, std::string_view option, T value, std::string_view accepted) {
  if (!in_range) {
    std::ostringstream message;
    message << option << " is " << value << "; accepted are " << accepted;
    throw std::invalid_argument(message.str());
  }
}

}  // namespace pair::objectives
