#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pair/report/sources.h"

namespace pair::report {

// The methods on one dataset, best first. Methods on different datasets are not compared, and neither are runs with
// different test environments.
struct Ranking {
  std::string dataset;
  std::string with;  // "with the test environment 'Texas'"; empty if all runs on the dataset have the same
  const Metric* metric = nullptr;  // worst_accuracy or, if the dataset's runs do not have it, worst_error
  std::vector<std::pair<const Method*, Spread>>
      methods;  // those that have the metric, by its mean at the last records
};

// "the test environment 'Texas'", "the test environments 0, 2".
std::string test_environments_of(const select::Run& run);

// One per dataset that has such a metric and set of test environments, in the order of the methods.
std::vector<Ranking> rankings_of(const Sources& sources);

}  // namespace pair::report
