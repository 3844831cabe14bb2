#pragma once

#include <span>
#include <string_view>

#include "pair/data/dataset_spec.h"
#include "pair/train/settings.h"

// Methods by name. A method is a list of objectives under a weighing scheme, so most are one line here;
// some have an update of their own.

namespace pair::runs {

struct AlgorithmInfo {
  std::string_view name;
  std::string_view summary;  // one line
};

std::span<const AlgorithmInfo> algorithms();

// The settings that the name stands for on a dataset. Throws std::invalid_argument that names the near one
// and lists them all.
train::Settings default_settings(std::string_view algorithm, const data::DatasetSpec& dataset);

}  // namespace pair::runs
