#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/options.h"
#include "pair/data/protocols.h"

// Datasets by name. A dataset is one source file in this folder with its options, its environments, the
// training defaults on it and a function that returns its entry; registry.cpp has one line for it.
// CONTRIBUTING.md shows a complete example.

namespace pair::data {

struct EnvironmentSet;

// The distributions of what sweeps draw for every algorithm on a dataset. The defaults are those of
// DomainBed's small images.
struct DatasetDraws {
  base::Distribution lr = base::LogUniform{10, -4.5, -2.5};
  base::Distribution paper_lr = base::LogUniform{10, -4.5, -3.5};  // Appendix G.2 of the paper
  base::Distribution batch = base::LogUniform{2, 3, 9, true};
  std::optional<base::Distribution> weight_decay = {};  // Adam's, which is twice l2; none: not drawn
};

struct DatasetEntry {
  std::string name;
  std::string summary;                    // one line
  std::vector<std::string> aliases = {};  // alternative names
  base::Options options = {};             // defaults

  // The set-up for training, by name (protocols.h). An algorithm may have defaults for a protocol, and for a
  // variant within it.
  std::string protocol = std::string(paper_protocol.name);
  std::string variant = {};
  bool in_domainbed = false;  // whether DomainBed has the dataset, under the same name
  DatasetDraws drawn = {};
  // Settings that differ from the algorithm's defaults, by name and value as typed.
  base::Assignments settings = {};

  // Whether training starts with a description of the data (EnvironmentSet::description): it is the user's
  // own, and types, classes and environments are found in it.
  bool described = false;

  // Whether the environments are values in columns of the user's table (table, text). Their names may then be
  // numbers, and the last one is the test environment unless the user chooses.
  bool environments_in_data = false;

  // How models are measured on new data (metrics.h), the most important first. Empty: accuracy, or mse for
  // regression.
  std::vector<std::string> metrics = {};
  // Whether the label of a regression is standardised on the training rows (table_encoding.h), so that mean
  // squared errors are those of the standardised label.
  bool standardised_label = false;
  // The key of records by which models are selected, the higher the better: "val_acc_wg". Empty: the mean
  // score on held-out parts of the training environments.
  std::string selection = {};

  // Names of the environments, in the order of records: "beta 0.1".
  std::function<std::vector<std::string>(const base::Options&)> environments = {};
  // The test environments. If a dataset does not let the user choose them, they come last.
  std::function<std::vector<std::int64_t>(const base::Options&)> test_environments = {};
  // The part of a test environment that the worst test score is taken over, if records have two: "_in", or
  // "_out". The other one is for model selection.
  std::string test_part = "_in";
  // Checks that involve several options. Throws std::invalid_argument.
  std::function<void(const base::Options&)> check = [](const base::Options&) {};
  // Makes the data. The seed determines all draws.
  std::function<EnvironmentSet(const base::Options&, std::uint64_t seed)> make = {};
};

// A dataset with its options, as a run's spec stores it.
struct Dataset {
  std::string name;
  base::Options options = {};

  bool operator==(const Dataset&) const = default;
};

// All datasets, in the order of lists.
const std::vector<DatasetEntry>& datasets();

// Adds a dataset that is not part of this library (cli/extensions.h). Call it before anything else uses the
// list. Throws std::invalid_argument for a name that exists already, std::logic_error if the list has been
// used.
void add_dataset(DatasetEntry entry);

// Throws std::invalid_argument that suggests the nearest name and lists all.
const DatasetEntry& entry_of(std::string_view name);

// A dataset with default options. Throws the same errors as entry_of.
Dataset dataset_named(std::string_view name);

std::vector<std::string> environment_names(const Dataset& dataset);
std::vector<std::int64_t> test_environments(const Dataset& dataset);

// Throws std::invalid_argument that names the option, the expected range and the value.
void validate(const Dataset& dataset);

}  // namespace pair::data
