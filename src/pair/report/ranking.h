#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pair/report/sources.h"

namespace pair::report {

// The methods on one dataset, best first. Methods on different datasets are not compared.
struct Ranking {
  std::string dataset;
  const Metric* metric = nullptr;  // worst_accuracy or, if the dataset's runs do not have it, worst_error
  std::vector<std::pair<const Method*, Spread>>
      methods;  // those that have the metric, by its mean at the last records
};

// One per dataset that has such a metric, in the order of the methods.
std::vector<Ranking> rankings_of(const Sources& sources);

}  // namespace pair::report
