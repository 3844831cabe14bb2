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

// The algorithm's name as algorithms() has it, for that name in any case and for DomainBed's (IRM is irmv1,
// IB_ERM is ib-erm). Throws std::invalid_argument that names the near one and lists them all.
std::string_view algorithm_named(std::string_view name);

// The settings that the name, as algorithm_named takes it, stands for on a dataset.
train::Settings default_settings(std::string_view algorithm, const data::DatasetSpec& dataset);

}  // namespace pair::runs
