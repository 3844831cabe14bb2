#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/options.h"

// Common parts of all registries. A registry is a list of entries with names.

namespace pair::base {

// The entry of that name. Throws std::invalid_argument that suggests the nearest name and lists all.
template <class Entry>
const Entry& named(const std::vector<Entry>& entries, std::string_view kind, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) {
      return entry;
    }
    names.push_back(entry.name);
  }
  throw std::invalid_argument(unknown_name(kind, name, names));
}

// The options with some values changed, by name and text. Throws std::invalid_argument for an unknown name or
// an invalid value.
Options with_changes(Options options, const std::vector<std::pair<std::string, std::string>>& changes);

// Throws std::invalid_argument if a value is out of range, for example because C++ code assigned it.
void check(const Options& options);

}  // namespace pair::base
