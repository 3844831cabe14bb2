#pragma once

#include <cstdint>

#include "pair/data/digits.h"
#include "pair/data/domainbed_mnist_spec.h"
#include "pair/data/environment.h"

namespace pair::data {

// MNIST's training digits followed by its test digits, 70,000 in total, from spec.folder or, if that is
// empty, from the store ('pair data get mnist'). Throws std::runtime_error that names the file and the
// command that fetches it if a file is missing or invalid.
Digits domainbed_digits(const DomainBedMnistSpec& spec);

// The digits as DomainBed arranges them. They are shuffled; with E environments, the digit at position i goes
// to environment i mod E. Within an environment, n digits are shuffled again, and the first floor(holdout n)
// are held out.
//
// Inputs are bytes [n, channels, rows, columns], labels int64 [n].
// - ColoredMNIST: label = (digit < 5), flipped with probability 0.25; colour = label, flipped with
//   probability 0.1, 0.2 or 0.9. The digit is in the channel of its colour; the other channel is zero.
// - RotatedMNIST: the digit rotated by rotate(), and its value.
//
// Training uses env{i}_in of the environments that are not in test_envs. Held out, in order, are env{i}_out
// of those, and both parts of the test environments; their env{i}_in counts as the test, as DomainBed reports
// it.
//
// The seed determines all draws. With Draws::domainbed, torch's generator, seeded by it, shuffles all digits
// and then draws, environment by environment, the flips of labels and of colours; NumPy's splits
// (numpy_random.h). With Draws::pair, our own streams do: "domainbed/order" the shuffle, "domainbed/split/E"
// the held-out digits of environment E, "domainbed/colour/E" its noise. So one seed gives the same data for
// any test environments.
//
// Throws std::invalid_argument if validate() does or the sizes of the digits are inconsistent.
EnvironmentSet domainbed_mnist(const Digits& digits, const DomainBedMnistSpec& spec, std::uint64_t seed);

}  // namespace pair::data
