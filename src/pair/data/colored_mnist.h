#pragma once

#include <cstdint>

#include "pair/data/colored_mnist_spec.h"
#include "pair/data/digits.h"
#include "pair/data/environment.h"

namespace pair::data {

// ColoredMNIST (Arjovsky et al. 2019) from digits, built as by the paper's authors. The first five sixths of
// the digits (50,000 of MNIST's 60,000) are shuffled; with E training environments, the digit at position i
// goes to environment i mod E. The others, in their order, are the test digits; all test environments have
// the same ones, each with its own label and colour noise.
//
// For each digit: label = (digit < 5), flipped with probability alpha; colour = label, flipped with
// probability beta. Inputs are float [n, 2 * rows * columns] on the CPU: the channel of colour 0, then that
// of colour 1, row by row. The digit (pixel / 255) is in the channel of its colour; the other channel is
// zero. Labels are float [n], 0 or 1. Keys are env0_in, env1_in, ... for the training environments and,
// continuing the numbers, env2_out, ... for the test environments. With a holdout, the last digits of
// training environment e are held out as env{e}_out.
//
// The seed determines all draws, and each kind of draw has its own stream (see Random):
//   "cmnist/order"              the shuffle
//   "cmnist/train/E"            training environment E: per digit, one number each for label and colour
//   "cmnist/test/E"             test environment E, likewise
// So with one seed, the same digits get the same label noise for any betas; a gray twin differs from the
// original in colour only; fewer digits are a prefix of more; and adding an environment does not change the
// noise of the others.
//
// Throws std::invalid_argument if validate() does or the sizes of the digits are inconsistent.
EnvironmentSet colored_mnist(const Digits& digits, const ColoredMnistSpec& spec, std::uint64_t seed);

}  // namespace pair::data
