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
  std::string default_value;  // on cmnist with pair, or with the first extension it belongs to
  std::string belongs_to;     // "objective fishr", "dataset PACS, VLCS"; empty: every run
  std::optional<base::Field::Path> path = {};

  // Extensions may share a setting, with other values each.
  struct Declaration {
    std::string extension;  // "PACS"
    std::string accepted;
    std::string default_value;
  };
  std::vector<Declaration> declarations = {};  // per extension it belongs to
};

const std::vector<KnownSetting>& known_settings();

// Throws std::invalid_argument that suggests the nearest names if no run has such a setting.
const KnownSetting& known_setting(std::string_view name);

}  // namespace pair::runs
