#include "pair/data/domainbed_mnist_spec.h"

#include <iterator>
#include <stdexcept>
#include <string>

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
  base::Field& digits = field.whole("digits", &S::digits, fewest_digits(Variant::coloured), 1'000'000'000,
                                    "digits dealt out to the environments");
  digits.accepted = "integers from " + std::to_string(fewest_digits(Variant::coloured)) +
                    " (RotatedMNIST: " + std::to_string(fewest_digits(Variant::rotated)) +
                    ") to the number of digits";
  digits.set = [plain = digits.set](void* spec, const base::Value& value) {
    S changed = *static_cast<const S*>(spec);
    const bool good = plain(&changed, value) && changed.digits >= fewest_digits(changed.variant);
    if (good) {
      static_cast<S*>(spec)->digits = changed.digits;
    }
    return good;
  };
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
  // How many there are depends on the folder.
  if (spec.digits > digits_count) {
    throw std::invalid_argument("digits: expected at most " + std::to_string(digits_count) +
                                ", the number of digits in the data, got " + std::to_string(spec.digits));
  }
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
