#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pair::base {

// The name of an option and its value as a user types it: {"lr", "0.1"} for '--set lr=0.1'.
using Assignment = std::pair<std::string, std::string>;
using Assignments = std::vector<Assignment>;

}  // namespace pair::base
