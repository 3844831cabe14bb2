#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pair/report/metric.h"

// Runs grouped by method: an algorithm on a dataset.

namespace pair::report {

// A metric over the runs of a method, per step.
struct Curve {
  std::vector<std::int64_t> steps;
  std::vector<double> mean;
  std::vector<double> low;  // smallest and largest value over the runs
  std::vector<double> high;
};

struct Spread {
  double mean = 0.0;
  double deviation = 0.0;  // sample standard deviation (n - 1); 0 for one run
  double least = 0.0;
  double most = 0.0;
  std::size_t runs = 0;  // number of runs that have a value
};

struct Method {
  std::string label;  // the algorithm, and the dataset if there are several
  std::string dataset;
  std::string algorithm;
  std::vector<std::size_t> runs;  // by index
  std::size_t seeds = 0;          // number of distinct trial seeds
};

// Sorted by dataset and algorithm, in DomainBed's order if it defines one.
std::vector<Method> methods_of(const select::History& history);

// Whether they are on more than one dataset.
bool have_several_datasets(std::span<const Method> methods);

// The curve at the common steps: those with at least half as many runs as the most common step, thinned to at
// most `points` (2 or more). Has no steps if no run has the metric.
Curve curve_of(const select::History& history, const Method& method, const Metric& metric,
               std::size_t points);

// Statistics of the values; values that are not finite are ignored.
Spread spread_of(std::span<const double> values);

// Statistics of the last values of the runs.
Spread last_spread(const select::History& history, const Method& method, const Metric& metric);

}  // namespace pair::report
