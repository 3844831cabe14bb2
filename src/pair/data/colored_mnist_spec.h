#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// ColoredMNIST as numbers: how its environments differ, and the paper's names for them. The data itself is
// made by colored_mnist() in colored_mnist.h; this part needs no torch.

namespace pair::data {

// The digit's shape says the label in every environment, wrongly with probability alpha; its colour says the
// label too, wrongly with probability beta, and beta changes from environment to environment. Where beta is
// under alpha the colour is the better guess, and the trap.
struct ColoredMnistSpec {
  std::string name = "cmnist";
  // Probability that a label (1 for digits below 5, else 0) is flipped, in training and test environments
  // alike; 0 to 1.
  double alpha = 0.25;
  // One environment each: probability that the colour differs from the (flipped) label; 0 to 1, at least one
  // of each kind.
  std::vector<double> train_betas = {0.1, 0.2};
  std::vector<double> test_betas = {0.9, 0.1, 0.5};
  // How many digits are shared out among the training environments, for quick trials fewer than all: the
  // first of the shuffled ones. From the number of training environments to 50,000.
  std::int64_t train_digits = 50'000;
  // How many digits each test environment shows, the same in each: 1 to 10,000.
  std::int64_t test_digits = 10'000;

  bool operator==(const ColoredMnistSpec&) const = default;
};

// How many of so many digits are for training, the first five sixths (50,000 of MNIST's 60,000); the rest are
// for testing.
constexpr std::int64_t training_pool(std::int64_t digits_count) {
  return digits_count * 5 / 6;
}

// Throws std::invalid_argument that names the field, its value and what is accepted. The limits on
// train_digits and test_digits are those of digits_count digits.
void validate(const ColoredMnistSpec& spec, std::int64_t digits_count = 60'000);

// The spec that gray-scale data comes from: beta is 0.5 in each training environment, so that the colour
// says nothing and what is learned is the shape, the oracle of the paper's tables. Named "NAME-gray"; the
// test environments stay as they are.
ColoredMnistSpec gray_twin(ColoredMnistSpec spec);

// The options of a dataset of this family.
void describe(base::Fields<ColoredMnistSpec>& field);

// The paper's datasets, each followed by its gray twin:
//   cmnist       alpha 0.25, beta (0.1, 0.2): IRM's ColoredMNIST; also answers to cmnist-25
//   cmnist-m     alpha 0.10, beta (0.2, 0.25): the case IRMv1 fails on; also answers to cmnist-01
//   cmnist-11    alpha 0.11, beta (0.1, 0.2). The paper prints "CMNIST-11" as {(0.25, 0.10), (0.25, 0.20)},
//                which is CMNIST itself; alpha is read off the name, beta is as printed
//   cmnist-10    cmnist-m under another name: the paper does not define its "CMNIST-10", but its figure
//                behaves as CMNIST-m does
struct ColoredMnistPreset {
  ColoredMnistSpec spec;
  std::string summary;  // one line for lists
  std::string alias;    // the authors' other name; may be empty
};
std::vector<ColoredMnistPreset> colored_mnist_presets();

// The spec of that name or alias. Throws std::out_of_range for an unknown one: users' names go through
// data/registry.h.
ColoredMnistSpec colored_mnist_preset(std::string_view name);

}  // namespace pair::data
