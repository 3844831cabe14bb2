#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pair/data/colored_mnist_spec.h"
#include "pair/data/domainbed_mnist_spec.h"
#include "pair/data/extrapolation_spec.h"

// Any dataset as numbers: which family, and the numbers of that family. dataset.h makes the data.

namespace pair::data {

using DatasetSpec = std::variant<ColoredMnistSpec, ExtrapolationSpec, DomainBedMnistSpec>;

// As the user types it, "cmnist-m".
const std::string& name_of(const DatasetSpec& spec);

// What the environments are, as records number them: "beta 0.1".
std::vector<std::string> environment_names(const DatasetSpec& spec);

// The environments that training does not see, as records number them. Where a dataset does not let one
// choose them they come last.
std::vector<std::int64_t> test_environments(const DatasetSpec& spec);

// Throws std::invalid_argument that names the field, its value and what is accepted.
void validate(const DatasetSpec& spec);

struct DatasetInfo {
  std::string_view name;
  std::string_view summary;  // one line
};

std::vector<DatasetInfo> datasets();

// Throws std::invalid_argument that names the near one and lists them all.
DatasetSpec dataset_named(std::string_view name);

}  // namespace pair::data
