#include "pair/data/domainbed_mnist_spec.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pair/base/numbers.h"

namespace pair::data {
namespace {

using Variant = DomainBedMnistSpec::Variant;

void check_test_envs(const std::vector<std::int64_t>& test_envs, std::int64_t environments) {
  const std::string accepted = "; accepted are 0 to " + std::to_string(environments - 1) + ", each once";
  if (test_envs.empty()) {
    throw std::invalid_argument("test_envs is empty" + accepted + ", at least one");
  }
  for (const std::int64_t number : test_envs) {
    if (number < 0 || number >= environments) {
      throw std::invalid_argument("test_envs has " + std::to_string(number) + accepted);
    }
    if (std::count(test_envs.begin(), test_envs.end(), number) > 1) {
      throw std::invalid_argument("test_envs has " + std::to_string(number) + " twice" + accepted);
    }
  }
  if (std::cmp_equal(test_envs.size(), environments)) {
    throw std::invalid_argument("test_envs has all " + std::to_string(environments) +
                                " environments; at least one must be left to train on");
  }
}

}  // namespace

std::vector<double> environment_values(Variant variant) {
  return variant == Variant::coloured ? std::vector<double>{0.1, 0.2, 0.9}
                                      : std::vector<double>{0, 15, 30, 45, 60, 75};
}

std::vector<std::string> environment_names(const DomainBedMnistSpec& spec) {
  if (spec.variant == Variant::coloured) {
    return {"+90%", "+80%", "-90%"};
  }
  std::vector<std::string> names;
  for (const double angle : environment_values(spec.variant)) {
    names.push_back(base::shown(angle));
  }
  return names;
}

std::int64_t classes_of(Variant variant) {
  return variant == Variant::coloured ? 2 : 10;
}

void validate(const DomainBedMnistSpec& spec, std::int64_t digits_count) {
  const auto environments = static_cast<std::int64_t>(environment_values(spec.variant).size());
  check_test_envs(spec.test_envs, environments);
  if (!(spec.holdout > 0.0 && spec.holdout < 1.0)) {
    throw std::invalid_argument("holdout is " + base::shown(spec.holdout) +
                                "; accepted are numbers above 0 and below 1");
  }
  const std::int64_t fewest = fewest_digits_an_environment * environments;
  if (spec.digits < fewest || spec.digits > digits_count) {
    throw std::invalid_argument("digits is " + std::to_string(spec.digits) + "; accepted are " +
                                std::to_string(fewest) + " to " + std::to_string(digits_count));
  }
}

bool is_domainbed_mnist(std::string_view name) {
  return name == "ColoredMNIST" || name == "RotatedMNIST";
}

DomainBedMnistSpec domainbed_mnist_preset(std::string_view name) {
  if (!is_domainbed_mnist(name)) {
    throw std::invalid_argument("dataset is '" + std::string(name) +
                                "'; accepted are ColoredMNIST and RotatedMNIST");
  }
  DomainBedMnistSpec spec;
  spec.name = name;
  if (name == "RotatedMNIST") {
    spec.variant = Variant::rotated;
    spec.test_envs = {5};
  }
  return spec;
}

}  // namespace pair::data
