#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// All settings that some run has, for lists and messages.

namespace pair::runs {

struct KnownSetting {
  std::string name;
  std::string summary;
  std::string accepted;
  std::string default_value;  // on cmnist with pair, or with the extension it belongs to
  std::string belongs_to;     // "objective fishr"; empty: every run
  std::optional<base::Field::Path> path = {};
};

const std::vector<KnownSetting>& known_settings();

// Throws std::invalid_argument that suggests the nearest names if no run has such a setting.
const KnownSetting& known_setting(std::string_view name);

}  // namespace pair::runs
