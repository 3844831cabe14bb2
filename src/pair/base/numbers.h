#pragma once

#include <string>

// Numbers in messages.

namespace pair::base {

// The shortest text that reads back as the same value: "0.1", "1e-100", "inf", "nan".
std::string shown(double value);

}  // namespace pair::base
