#include "pair/data/domainbed_mnist_spec.h"

#include <iterator>

#include "pair/base/numbers.h"
#include "pair/base/registry.h"
#include "pair/data/shared_fields.h"
#include "pair/data/test_envs.h"

namespace pair::data {
namespace {

using Variant = DomainBedMnistSpec::Variant;

std::int64_t fewest_digits(Variant variant) {
  return fewest_digits_an_environment * std::ssize(environment_values(variant));
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

void describe(base::Fields<DomainBedMnistSpec>& field) {
  using S = DomainBedMnistSpec;
  describe_test_envs(field, 5);
  describe_holdout(field, "held-out fraction of each environment's digits");
  // validate() has the exact range, which depends on the variant and the folder.
  field.whole("digits", &S::digits, std::int64_t{1}, 1'000'000'000, "digits dealt out to the environments");
  field
      .text("folder", &S::folder, "folders that hold MNIST's four idx files",
            "folder of the digits; empty: the data of 'pair data get mnist'")
      .names_folder();
  field
      .choice("draws", &S::draws, {{"domainbed", S::Draws::domainbed}, {"pair", S::Draws::pair}},
              "generators of the data: DomainBed's, bit for bit, or those of earlier versions")
      .unsaid = "pair";
}

void validate(const DomainBedMnistSpec& spec, std::int64_t digits_count) {
  base::check(base::Options::of(spec));
  check_test_envs(spec.test_envs, std::ssize(environment_values(spec.variant)));
  base::require_integer("digits", spec.digits, fewest_digits(spec.variant), digits_count);
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
