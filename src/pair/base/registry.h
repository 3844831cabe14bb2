#pragma once

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/assignment.h"
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

// The entries of one kind. Entries can be added until the list is read for the first time; after that it
// stays as it is, and references to entries stay valid.
template <class Entry>
class Registry {
 public:
  // kind: "objective", for messages.
  Registry(std::string kind, std::vector<Entry> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  const std::vector<Entry>& entries() {
    read_ = true;
    return entries_;
  }

  // Throws std::invalid_argument for a name that is empty or exists already, std::logic_error if the list has
  // been read.
  void add(Entry entry) {
    if (read_) {
      throw std::logic_error(kind_ + " '" + entry.name +
                             "': expected before the list is used, got after that");
    }
    const auto same = [&entry](const Entry& other) { return other.name == entry.name; };
    if (entry.name.empty() || std::any_of(entries_.begin(), entries_.end(), same)) {
      throw std::invalid_argument(kind_ + ": expected a new name, got '" + entry.name + "'");
    }
    entries_.push_back(std::move(entry));
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
  std::atomic<bool> read_ = false;
};

// The options with some values changed, by name and text. Throws std::invalid_argument for an unknown name or
// an invalid value.
Options with_changes(Options options, const Assignments& changes);

// Throws std::invalid_argument if a value is out of range, for example because C++ code assigned it.
void check(const Options& options);

}  // namespace pair::base
