#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "pair/report/metric.h"

namespace pair::report {

// The indices of at most `most` (2 or more) of `count` records: the first, the last, and evenly spaced ones
// in between.
std::vector<std::size_t> shown_records(std::size_t count, std::size_t most);

// {step: [...], KEY: [...]}: the run's values at no more than `most` of its records. A value that never
// changes is a single number in place of a list.
nlohmann::json series_of(const select::Run& run, std::span<const Metric> metrics, std::size_t most);

// The last number in the column; NaN if there is none.
double last_of(const select::Column* column);

}  // namespace pair::report
