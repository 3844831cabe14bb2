#pragma once

#include <span>

// Means and standard errors, summed in NumPy's order, so that a value halfway between two printed digits is
// rounded as by DomainBed's collector.

namespace pair::select {

// NumPy's pairwise sum: up to 7 numbers sequentially, up to 128 in eight interleaved sums, more by recursive
// halving.
double pairwise_sum(std::span<const double> values);

// NaN for no values.
double mean(std::span<const double> values);

// A mean over trials and its standard error, in percent.
struct MeanAndError {
  double mean = 0.0;
  double error = 0.0;
};

// For at least one accuracy from 0 to 1: 100 times the mean, and 100 times the standard deviation divided by
// the square root of the count.
MeanAndError mean_and_error(std::span<const double> accuracies);

}  // namespace pair::select
