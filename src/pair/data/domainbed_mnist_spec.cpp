#include "pair/data/domainbed_mnist_spec.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/base/registry.h"
#include "pair/data/shared_fields.h"

namespace pair::data {
namespace {

using Variant = DomainBedMnistSpec::Variant;

}  // namespace

void check_test_envs(const std::vector<std::int64_t>& test_envs, std::int64_t environments) {
  const std::string accepted = " of 0 to " + std::to_string(environments - 1) + ", each once";
  if (test_envs.empty()) {
    throw std::invalid_argument("test_envs: expected at least one" + accepted + ", got none");
  }
  for (const std::int64_t number : test_envs) {
    if (number < 0 || number >= environments) {
      throw std::invalid_argument("test_envs: expected numbers" + accepted + ", got " +
                                  std::to_string(number));
    }
    if (std::count(test_envs.begin(), test_envs.end(), number) > 1) {
      throw std::invalid_argument("test_envs: expected numbers" + accepted + ", got " +
                                  std::to_string(number) + " twice");
    }
  }
  if (std::cmp_equal(test_envs.size(), environments)) {
    throw std::invalid_argument("test_envs: expected at least one environment left for training, got all " +
                                std::to_string(environments));
  }
}

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

void describe(base::Fields<DomainBedMnistSpec>& field) {
  using S = DomainBedMnistSpec;
  field.wholes("test_envs", &S::test_envs, 0, 5, "environments used for testing, not for training");
  describe_holdout(field, "held-out fraction of each environment's digits");
  field.whole("digits", &S::digits, std::int64_t{1}, 1'000'000'000, "digits dealt out to the environments");
  field.text("folder", &S::folder, "folders that hold MNIST's four idx files",
             "folder of the digits; empty: the data of 'pair data get mnist'");
  field
      .choice("draws", &S::draws, {{"domainbed", S::Draws::domainbed}, {"pair", S::Draws::pair}},
              "generators of the data: DomainBed's, bit for bit, or those of earlier versions")
      .unsaid = "pair";
}

void validate(const DomainBedMnistSpec& spec, std::int64_t digits_count) {
  base::check(base::Options::of(spec));
  const auto environments = static_cast<std::int64_t>(environment_values(spec.variant).size());
  check_test_envs(spec.test_envs, environments);
  const std::int64_t fewest = fewest_digits_an_environment * environments;
  base::require_integer("digits", spec.digits, fewest, digits_count);
}

DomainBedMnistSpec domainbed_mnist_preset(Variant variant) {
  DomainBedMnistSpec spec;
  if (variant == Variant::rotated) {
    spec.name = "RotatedMNIST";
    spec.variant = variant;
    spec.test_envs = {5};
  }
  return spec;
}

}  // namespace pair::data
