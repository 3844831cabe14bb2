#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers in messages.

namespace pair::base {

// The shortest text that reads back as the same value: "0.1", "1e-100", "inf", "nan".
std::string shown(double value);

// Throws std::invalid_argument "NAME: expected an integer from LOW to HIGH, got VALUE" if it is not.
void require_integer(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high);

}  // namespace pair::base
