#pragma once

#include <string>
#include <system_error>

namespace pair::base {

// The system's message for an errno: "Permission denied".
inline std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace pair::base
