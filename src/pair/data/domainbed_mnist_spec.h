#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// The parameters of DomainBed's two datasets of handwritten digits (Gulrajani and Lopez-Paz, "In Search of
// Lost Domain Generalization", ICLR 2021); domainbed_mnist.h makes the data.

namespace pair::data {

// All 70,000 digits of MNIST at 28x28, shuffled and divided among the environments, so that no digit is in
// two of them. The digits of an environment are split into a training part ("in") and a held-out part
// ("out"). The environments in test_envs are not used for training.
struct DomainBedMnistSpec {
  //   coloured  three environments, +90%, +80% and -90%: the correlation of colour and label. Two classes
  //             (1 for digits below 5), a quarter of the labels flipped, two channels
  //   rotated   six environments, rotated by 0, 15, 30, 45, 60 and 75 degrees. Ten classes, one channel
  enum class Variant { coloured, rotated };

  // The generators of the digits' order, of the noise and of the splits.
  //   domainbed  DomainBed's, of torch and NumPy: with the same seed (its --seed and --trial_seed), the same
  //              digits are in the same environment, have the same labels and colours, and are held out
  //   pair       our own; that of runs from before the first was added
  enum class Draws { domainbed, pair };

  std::string name = "ColoredMNIST";
  Variant variant = Variant::coloured;
  // Test environments (test_envs.h).
  std::vector<std::int64_t> test_envs = {2};
  double holdout = 0.2;  // held-out fraction of each environment's digits
  // Number of digits used, the first of the shuffled ones; fewer for quick trials.
  std::int64_t digits = 70'000;
  // The folder of MNIST's four idx files, or others of that kind, plain or gzipped. Empty: the data of 'pair
  // data get mnist'.
  std::string folder = {};
  Draws draws = Draws::pair;  // the datasets by name have domainbed

  bool operator==(const DomainBedMnistSpec&) const = default;
};

inline constexpr std::int64_t fewest_digits_an_environment = 10;

// The probability that a label is flipped in the coloured variant.
inline constexpr double domainbed_label_noise = 0.25;

// An environment's parameter in DomainBed: the probability that colour and label differ, or the angle in
// degrees.
std::vector<double> environment_values(DomainBedMnistSpec::Variant variant);
// Its name: "+90%", "15".
std::vector<std::string> environment_names(const DomainBedMnistSpec& spec);

std::int64_t classes_of(DomainBedMnistSpec::Variant variant);

// The options of a dataset of this family.
void describe(base::Fields<DomainBedMnistSpec>& field);

// Throws std::invalid_argument that names the option, the expected range and the value.
void validate(const DomainBedMnistSpec& spec, std::int64_t digits_count = 70'000);

// "ColoredMNIST" (coloured) and "RotatedMNIST" (rotated), each tested on its last environment.
DomainBedMnistSpec domainbed_mnist_preset(DomainBedMnistSpec::Variant variant);

}  // namespace pair::data
