#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/options.h"

// Datasets by name. A dataset is one source file of this folder, which holds its options, how its
// environments are made, what training defaults to on it and a function that returns its entry; registry.cpp
// has one line for it. CONTRIBUTING.md shows a whole one.

namespace pair::data {

struct EnvironmentSet;

struct DatasetEntry {
  std::string name;
  std::string summary;                    // one line
  std::vector<std::string> aliases = {};  // other names that mean the same
  base::Options options = {};             // defaults

  // How training on it is set up by default, and how algorithms refer to that: "cmnist" (the paper's
  // ColoredMNIST), "extrapolation" or "domainbed". An algorithm may have defaults for a protocol, and for a
  // variant within it.
  std::string protocol = "cmnist";
  std::string variant = {};
  // Settings that differ from an algorithm's own, by name and value as typed.
  std::vector<std::pair<std::string, std::string>> settings = {};

  // What the environments are, as records number them: "beta 0.1".
  std::function<std::vector<std::string>(const base::Options&)> environments = {};
  // Those that training does not see. Where a dataset does not let one choose them they come last.
  std::function<std::vector<std::int64_t>(const base::Options&)> test_environments = {};
  // What no single option's range says. Throws std::invalid_argument.
  std::function<void(const base::Options&)> check = [](const base::Options&) {};
  // The data. The seed alone decides every draw.
  std::function<EnvironmentSet(const base::Options&, std::uint64_t seed)> make = {};
};

// A dataset with its options: what a run's spec holds.
struct Dataset {
  std::string name;
  base::Options options = {};

  bool operator==(const Dataset&) const = default;
};

// All of them, in the order in which they are listed to users.
const std::vector<DatasetEntry>& datasets();

// Adds a dataset that is not part of this library (cli/extensions.h). Call it before anything else uses the
// list. Throws std::invalid_argument for a name that exists already, std::logic_error if the list has been
// used.
void add_dataset(DatasetEntry entry);

// Throws std::invalid_argument that names the nearest and lists them all.
const DatasetEntry& entry_of(std::string_view name);

// With default options. Throws as entry_of does.
Dataset dataset_named(std::string_view name);

std::vector<std::string> environment_names(const Dataset& dataset);
std::vector<std::int64_t> test_environments(const Dataset& dataset);

// Throws std::invalid_argument that names the option, what is expected and its value.
void validate(const Dataset& dataset);

}  // namespace pair::data
