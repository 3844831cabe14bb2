#pragma once

#include <span>

// Means and errors with the additions in NumPy's order, so that a figure which lies between two printed
// digits is rounded to the same one as by DomainBed's collector.

namespace pair::select {

// NumPy's pairwise sum: up to 7 numbers one after another, up to 128 in eight interleaved sums, more by
// halves.
double pairwise_sum(std::span<const double> values);

// NaN without values.
double mean(std::span<const double> values);

// A mean over trials and its standard error, in per cent.
struct Figure {
  double mean = 0.0;
  double error = 0.0;
};

// Of accuracies between 0 and 1, at least one: 100 times their mean, and 100 times the deviation of the
// accuracies divided by the root of their number.
Figure figure_of(std::span<const double> accuracies);

}  // namespace pair::select
