#pragma once

#include <cstdint>

#include "pair/data/digits.h"
#include "pair/data/domainbed_mnist_spec.h"
#include "pair/data/environment.h"

namespace pair::data {

// MNIST's training digits and its test digits after them, 70,000 in all, from spec.folder or, where that is
// empty, from what 'pair data get mnist' stored. Throws std::runtime_error that names the file, and the
// command that fetches it, where one is missing or not what it must be.
Digits domainbed_digits(const DomainBedMnistSpec& spec);

// The digits as DomainBed arranges them. They are shuffled, and with E environments the digit at position i
// goes to environment i mod E. Of an environment's n digits, in an order of their own, the first
// floor(holdout n) are held out.
//
// Inputs are bytes [n, channels, rows, columns], labels int64 [n].
// - ColoredMNIST: label = (digit < 5), flipped with probability 0.25; colour = label, flipped with
// probability
//   0.1, 0.2 or 0.9. The digit is in the channel of its colour, the other channel is zero.
// - RotatedMNIST: the digit turned by rotate(), and its value.
//
// Trained on are env{i}_in of the environments not in test_envs. Held out, by number, are env{i}_out of those
// and both parts of the others, whose env{i}_in counts as the test: it is what DomainBed reports.
//
// The seed alone decides every draw: "domainbed/order" the shuffle, "domainbed/split/E" which digits of
// environment E are held out, "domainbed/colour/E" its noise. So one seed gives the same data whatever is
// tested on.
//
// Throws std::invalid_argument where validate() does or where the digits' sizes contradict each other.
EnvironmentSet domainbed_mnist(const Digits& digits, const DomainBedMnistSpec& spec, std::uint64_t seed);

}  // namespace pair::data
