#include "pair/data/registry.h"

#include <algorithm>
#include <utility>

#include "pair/base/registry.h"
#include "pair/data/environment.h"

namespace pair::data {

// Not in an anonymous namespace: the functions declared inside would be members of it.
static base::Registry<DatasetEntry>& dataset_registry() {
  static base::Registry<DatasetEntry> all("dataset", [] {
    std::vector<DatasetEntry> list;
    const auto add = [&list](std::vector<DatasetEntry> entries) {
      list.insert(list.end(), entries.begin(), entries.end());
    };
    // clang-format off
    // One line per dataset or family of datasets, in the order of lists.
    { extern std::vector<DatasetEntry> colored_mnist_entries(); add(colored_mnist_entries()); }
    { extern std::vector<DatasetEntry> extrapolation_entries(); add(extrapolation_entries()); }
    { extern std::vector<DatasetEntry> domainbed_mnist_entries(); add(domainbed_mnist_entries()); }
    { extern std::vector<DatasetEntry> domainbed_images_entries(); add(domainbed_images_entries()); }
    { extern std::vector<DatasetEntry> wilds_entries(); add(wilds_entries()); }
    { extern std::vector<DatasetEntry> wilds_text_entries(); add(wilds_text_entries()); }
    { extern std::vector<DatasetEntry> table_entries(); add(table_entries()); }
    { extern std::vector<DatasetEntry> text_entries(); add(text_entries()); }
    { extern std::vector<DatasetEntry> images_entries(); add(images_entries()); }
    // clang-format on
    return list;
  }());
  return all;
}

const std::vector<DatasetEntry>& datasets() {
  return dataset_registry().entries();
}

void add_dataset(DatasetEntry entry) {
  dataset_registry().add(std::move(entry));
}

const DatasetEntry& entry_of(std::string_view name) {
  for (const DatasetEntry& entry : datasets()) {
    if (std::find(entry.aliases.begin(), entry.aliases.end(), name) != entry.aliases.end()) {
      return entry;
    }
  }
  return base::named(datasets(), "dataset", name);
}

Dataset dataset_named(std::string_view name) {
  const DatasetEntry& entry = entry_of(name);
  return {entry.name, entry.options};
}

std::vector<std::string> environment_names(const Dataset& dataset) {
  return entry_of(dataset.name).environments(dataset.options);
}

std::vector<std::int64_t> test_environments(const Dataset& dataset) {
  return entry_of(dataset.name).test_environments(dataset.options);
}

void validate(const Dataset& dataset) {
  base::check(dataset.options);
  entry_of(dataset.name).check(dataset.options);
}

}  // namespace pair::data
