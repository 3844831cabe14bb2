#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// DomainBed's two datasets of handwritten digits as numbers (Gulrajani and Lopez-Paz, "In Search of Lost
// Domain Generalization", ICLR 2021); domainbed_mnist.h makes the data.

namespace pair::data {

// All 70,000 digits of MNIST at 28x28, shuffled and dealt out to the environments one by one, so that no
// digit is in two of them. An environment's digits are split into a part to train on ("in") and one held out
// ("out"). The environments named in test_envs are not trained on at all.
struct DomainBedMnistSpec {
  //   coloured  three environments, +90%, +80% and -90%: how far colour and label go together. Two classes
  //             (1 for digits below 5), a quarter of the labels flipped, two channels
  //   rotated   six environments, turned by 0, 15, 30, 45, 60 and 75 degrees. Ten classes, one channel
  enum class Variant { coloured, rotated };

  std::string name = "ColoredMNIST";
  Variant variant = Variant::coloured;
  // Environments to test on, numbered from 0: at least one, none twice, and at least one is left to train on.
  std::vector<std::int64_t> test_envs = {2};
  double holdout = 0.2;  // share of each environment's digits that is held out. (0, 1)
  // How many digits are dealt out, for quick trials fewer than all: the first of the shuffled ones. From 10
  // an environment to as many as there are.
  std::int64_t digits = 70'000;
  // The folder of MNIST's four idx files, or of others of that kind, plain or gzipped. Empty: what 'pair data
  // get mnist' stored.
  std::string folder = {};

  bool operator==(const DomainBedMnistSpec&) const = default;
};

inline constexpr std::int64_t fewest_digits_an_environment = 10;

// How often a label is flipped in the coloured variant.
inline constexpr double domainbed_label_noise = 0.25;

// An environment's number as DomainBed has it: how often colour and label differ, or the angle in degrees.
std::vector<double> environment_values(DomainBedMnistSpec::Variant variant);
// And its name: "+90%", "15".
std::vector<std::string> environment_names(const DomainBedMnistSpec& spec);

std::int64_t classes_of(DomainBedMnistSpec::Variant variant);

// The options of a dataset of this family.
void describe(base::Fields<DomainBedMnistSpec>& field);

// Throws std::invalid_argument that names the option, what is expected and its value.
void validate(const DomainBedMnistSpec& spec, std::int64_t digits_count = 70'000);

// The part of it that any dataset of DomainBed's kind needs: test environments of so many, at least one, each
// once, and one left to train on. Throws as above.
void check_test_envs(const std::vector<std::int64_t>& test_envs, std::int64_t environments);

// "ColoredMNIST" (coloured) and "RotatedMNIST" (rotated), each tested on its last environment.
DomainBedMnistSpec domainbed_mnist_preset(DomainBedMnistSpec::Variant variant);

}  // namespace pair::data
