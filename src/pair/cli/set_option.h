#pragma once

#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/cli/command.h"

namespace pair::cli {

// Appends the key=value pairs of --set to the settings of other options. Throws UsageError.
inline void append_set_option(const std::vector<std::string>& texts, base::Assignments& settings) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set: expected key=value, such as steps=100, got '" + text + "'");
    }
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
}

}  // namespace pair::cli
