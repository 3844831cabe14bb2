#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pair/report/metric.h"

// Runs by method: an algorithm on a dataset.

namespace pair::report {

// A number over the runs of a method, step by step.
struct Curve {
  std::vector<std::int64_t> steps;
  std::vector<double> mean;
  std::vector<double> low;  // least and largest of the runs
  std::vector<double> high;
};

struct Spread {
  double mean = 0.0;
  double deviation = 0.0;  // of a sample, by n - 1; 0 for one run
  double least = 0.0;
  double most = 0.0;
  std::size_t runs = 0;  // that have the number
};

struct Method {
  std::string label;  // the algorithm, and the dataset where there are several
  std::string dataset;
  std::string algorithm;
  std::vector<std::size_t> runs;  // by index
  std::size_t seeds = 0;          // different trial seeds
};

// By dataset and algorithm, in DomainBed's order where it has one.
std::vector<Method> methods_of(const select::History& history);

// At the steps that at least half as many of the runs have as have the commonest step, at most `points` (2 or
// more) of them. Without steps where no run has the number.
Curve curve_of(const select::History& history, const Method& method, const Metric& metric,
               std::size_t points);

// Of the values; those that are not finite do not count.
Spread spread_of(std::span<const double> values);

// Of the runs' last numbers.
Spread last_spread(const select::History& history, const Method& method, const Metric& metric);

}  // namespace pair::report
