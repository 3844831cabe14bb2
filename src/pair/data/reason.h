#pragma once

#include <string>
#include <system_error>

namespace pair::data {

// What the system says about an errno: "Permission denied".
inline std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace pair::data
