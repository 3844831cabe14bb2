#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/history.h"

namespace pair::report {

// What a logged number is about, which decides where it is shown.
enum class Kind : std::uint8_t {
  accuracy,
  error,  // of a regression
  loss,
  weight,
  conflict,  // cosine of the gradient of ERM with an objective's
  divergence,
  rate,   // learning rate
  count,  // of events so far
  other,
};
std::string_view name_of(Kind kind);

struct Metric {
  std::string key;    // of the record, or objectives as losses.NAME, weights.NAME and conflict.NAME
  std::string label;  // for people
  Kind kind = Kind::other;

  // "high", "low", or empty where neither is better.
  [[nodiscard]] std::string_view better() const;
};

Metric metric_of(std::string key);

// The least accuracy of the test environments, or the largest error.
inline constexpr std::string_view worst_accuracy = "worst_test_acc";
inline constexpr std::string_view worst_error = "worst_test_mse";

// Gives a run whose records lack it (DomainBed's) its worst_test_acc: of a test environment that is split the
// larger part counts, as in DomainBed's tables.
void add_worst_accuracy(select::Run& run);

// Every number that a run of the history has, those that say most first.
std::vector<Metric> metrics_of(const select::History& history);

// The metric that best says how good a run is: worst_accuracy, or worst_error where all have that. Empty
// where no run has either.
std::string headline(std::span<const Metric> metrics);

}  // namespace pair::report
