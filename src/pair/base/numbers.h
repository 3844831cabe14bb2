#pragma once

#include <string>

// Numbers as messages show them.

namespace pair::base {

// The fewest digits that read back as the same value: "0.1", "1e-100", "inf", "nan".
std::string shown(double value);

}  // namespace pair::base
