#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/options.h"

// What the registries of all kinds share. A registry is a list of entries with a name.

namespace pair::base {

// The entry of that name. Throws std::invalid_argument that names the nearest and lists them all.
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

// Options with some changed, by name and text. Throws std::invalid_argument for a name that is not among them
// and for a value that is not accepted.
Options with_changes(Options options, const std::vector<std::pair<std::string, std::string>>& changes);

// Throws std::invalid_argument where a value is out of its field's range, as one may be that C++ code wrote.
void check(const Options& options);

}  // namespace pair::base
