#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// The parameters of ColoredMNIST, and the paper's names for them. colored_mnist() in colored_mnist.h makes
// the data; this part does not need torch.

namespace pair::data {

// The digit's shape predicts the label in every environment, wrongly with probability alpha. Its colour also
// predicts the label, wrongly with probability beta, which differs between environments. If beta is below
// alpha, the colour is the better predictor in training, and misleads.
struct ColoredMnistSpec {
  std::string name = "cmnist";
  // Probability that a label (1 for digits below 5, otherwise 0) is flipped, in training and test
  // environments.
  double alpha = 0.25;
  // One value per environment: probability that the colour differs from the (flipped) label.
  std::vector<double> train_betas = {0.1, 0.2};
  std::vector<double> test_betas = {0.9, 0.1, 0.5};
  // Number of digits divided among the training environments, the first of the shuffled ones; fewer for quick
  // trials, at least one per environment.
  std::int64_t train_digits = 50'000;
  // Number of digits in each test environment, the same ones in each.
  std::int64_t test_digits = 10'000;

  // Share of each training environment's digits that is not trained on but held out, so that models can be
  // chosen by them: its last ones. The paper holds out none.
  double holdout = 0.0;

  bool operator==(const ColoredMnistSpec&) const = default;
};

// MNIST's training images, which the environments share.
inline constexpr std::int64_t mnist_digits = 60'000;

// The number of training digits, the first five sixths (50,000 of MNIST's 60,000); the others are for
// testing.
constexpr std::int64_t training_pool(std::int64_t digits_count) {
  return digits_count * 5 / 6;
}

// Number of held-out digits of an environment: at least one if the fraction is above 0.
std::int64_t held_out_digits(std::int64_t digits, double holdout);

// Throws std::invalid_argument that names the field, the expected range and the value. The limits of
// train_digits and test_digits are those for digits_count digits.
void validate(const ColoredMnistSpec& spec, std::int64_t digits_count = mnist_digits);

// The spec for gray-scale training: beta is 0.5 in each training environment, so that the colour is
// uninformative and the shape is learned, the oracle of the paper's tables. Named "NAME-gray"; the test
// environments stay the same.
ColoredMnistSpec gray_twin(ColoredMnistSpec spec);

// The options of a dataset of this family.
void describe(base::Fields<ColoredMnistSpec>& field);

// The paper's datasets, each followed by its gray twin:
//   cmnist       alpha 0.25, beta (0.1, 0.2): IRM's ColoredMNIST; alias cmnist-25
//   cmnist-m     alpha 0.10, beta (0.2, 0.25): IRMv1 fails on it; alias cmnist-01
//   cmnist-11    alpha 0.11, beta (0.1, 0.2). The paper prints "CMNIST-11" as {(0.25, 0.10), (0.25, 0.20)},
//                which is CMNIST itself; alpha is taken from the name, beta as printed
//   cmnist-10    cmnist-m under another name: the paper does not define its "CMNIST-10", but its figure
//                behaves as CMNIST-m does
struct ColoredMnistPreset {
  ColoredMnistSpec spec;
  std::string summary;  // one line for lists
  std::string alias;    // the authors' other name; may be empty
};
std::vector<ColoredMnistPreset> colored_mnist_presets();

// The spec of that name or alias. Throws std::out_of_range for an unknown one; names from users go through
// data/registry.h.
ColoredMnistSpec colored_mnist_preset(std::string_view name);

}  // namespace pair::data
