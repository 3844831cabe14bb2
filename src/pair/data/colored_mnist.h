#pragma once

#include <cstdint>

#include "pair/data/colored_mnist_spec.h"
#include "pair/data/digits.h"
#include "pair/data/environment.h"

namespace pair::data {

// ColoredMNIST (Arjovsky et al. 2019) from digits, as the paper's authors build it. The first five sixths of
// the digits (50,000 of MNIST's 60,000) are shuffled, and with E training environments the digit at position
// i goes to environment i mod E. The rest, in their order, are the test digits; each test environment shows
// the same ones, with label and colour noise of its own.
//
// For each digit: label = (digit < 5), flipped with probability alpha; colour = label, flipped with
// probability beta. Inputs are float [n, 2 * rows * columns] on the CPU: the channel of colour 0, then that
// of colour 1, row by row; the digit (pixel / 255) stands in its colour's channel, the other is zero. Labels
// are float [n], 0 or 1. Keys are env0_in, env1_in, ... of the training and, numbered on, env2_out, ... of
// the test environments.
//
// The seed alone decides every draw, and each kind of draw has a stream of its own (see Random):
//   "cmnist/order"              the shuffle
//   "cmnist/train/E"            training environment E: for each digit one number for label, one for colour
//   "cmnist/test/E"             test environment E, likewise
// So with one seed the same digits get the same label noise whatever the betas, a gray twin differs from its
// twin in colour alone, fewer digits are a prefix of more, and a further environment changes no other's
// noise.
//
// Throws std::invalid_argument where validate() does or where the digits' sizes contradict each other.
EnvironmentSet colored_mnist(const Digits& digits, const ColoredMnistSpec& spec, std::uint64_t seed);

}  // namespace pair::data
