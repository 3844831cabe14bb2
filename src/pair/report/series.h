#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "pair/report/metric.h"

namespace pair::report {

// Which of `count` records to show where at most `most` (2 or more) fit: the first, the last, evenly between.
std::vector<std::size_t> shown_records(std::size_t count, std::size_t most);

// {step: [...], KEY: [...]}: the run's numbers at most `most` of its records. A number that never changes
// stands for its list.
nlohmann::json series_of(const select::Run& run, std::span<const Metric> metrics, std::size_t most);

// The last number in the column; NaN without one.
double last_of(const select::Column* column);

}  // namespace pair::report
