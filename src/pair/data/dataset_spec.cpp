#include "pair/data/dataset_spec.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/base/numbers.h"

namespace pair::data {
namespace {

struct ExtrapolationPreset {
  DatasetInfo info;
  ExtrapolationSpec::Sampling sampling = ExtrapolationSpec::Sampling::uniform;
};
constexpr std::array extrapolation_presets = {
    ExtrapolationPreset{{"extrapolation-uniform", "regression on the plane, trained on two rectangles of it"},
                        ExtrapolationSpec::Sampling::uniform},
    ExtrapolationPreset{{"extrapolation-gaussian", "the same, trained on two normal distributions"},
                        ExtrapolationSpec::Sampling::gaussian},
};

constexpr std::array domainbed_infos = {
    DatasetInfo{"ColoredMNIST",
                "DomainBed's: 70,000 digits at 28x28 in three environments, +90%, +80%, -90%"},
    DatasetInfo{"RotatedMNIST", "DomainBed's: the digits in six environments, turned by 0 to 75 degrees"},
};

// Of environments in a row, the ones from `first` on.
std::vector<std::int64_t> last_of(std::size_t first, std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), static_cast<std::int64_t>(first));
  return numbers;
}

std::vector<std::int64_t> tests_of(const ColoredMnistSpec& spec) {
  return last_of(spec.train_betas.size(), spec.test_betas.size());
}

std::vector<std::int64_t> tests_of(const ExtrapolationSpec& /*spec*/) {
  return last_of(2, 1);
}

std::vector<std::int64_t> tests_of(const DomainBedMnistSpec& spec) {
  return spec.test_envs;
}

std::vector<std::string> names_of(const ColoredMnistSpec& spec) {
  std::vector<std::string> names;
  for (const auto& betas : {spec.train_betas, spec.test_betas}) {
    for (const double beta : betas) {
      names.push_back("beta " + base::shown(beta));
    }
  }
  return names;
}

std::vector<std::string> names_of(const ExtrapolationSpec& /*spec*/) {
  return {"lower", "upper", "whole square"};
}

std::vector<std::string> names_of(const DomainBedMnistSpec& spec) {
  return environment_names(spec);
}

}  // namespace

const std::string& name_of(const DatasetSpec& spec) {
  return std::visit([](const auto& family) -> const std::string& { return family.name; }, spec);
}

std::vector<std::string> environment_names(const DatasetSpec& spec) {
  return std::visit([](const auto& family) { return names_of(family); }, spec);
}

std::vector<std::int64_t> test_environments(const DatasetSpec& spec) {
  return std::visit([](const auto& family) { return tests_of(family); }, spec);
}

void validate(const DatasetSpec& spec) {
  std::visit([](const auto& family) { validate(family); }, spec);
}

std::vector<DatasetInfo> datasets() {
  std::vector<DatasetInfo> all;
  for (const ColoredMnistPreset& preset : colored_mnist_presets()) {
    all.push_back({preset.name, preset.summary});
  }
  for (const ExtrapolationPreset& preset : extrapolation_presets) {
    all.push_back(preset.info);
  }
  all.insert(all.end(), domainbed_infos.begin(), domainbed_infos.end());
  return all;
}

DatasetSpec dataset_named(std::string_view name) {
  for (const ExtrapolationPreset& preset : extrapolation_presets) {
    if (preset.info.name == name) {
      return ExtrapolationSpec{.name = std::string(name), .sampling = preset.sampling};
    }
  }
  if (is_domainbed_mnist(name)) {
    return domainbed_mnist_preset(name);
  }
  if (is_colored_mnist(name)) {
    return colored_mnist_preset(name);
  }
  std::vector<std::string_view> names;
  for (const DatasetInfo& info : datasets()) {
    names.push_back(info.name);
  }
  throw std::invalid_argument(base::unknown_name("dataset", name, names));
}

}  // namespace pair::data
