#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/history.h"

namespace pair::report {

// The kind of a logged number, which decides where it is shown.
enum class Kind : std::uint8_t {
  accuracy,
  error,  // of a regression task
  loss,   // including those on held-out samples
  floor,  // the noise floor of a loss
  weight,
  conflict,  // cosine of ERM's gradient with an objective's
  divergence,
  rate,   // learning rate
  count,  // number of events so far
  other,
};
std::string_view name_of(Kind kind);

struct Metric {
  std::string key;    // the record's key; for objectives losses.NAME, held_out_losses.NAME and others
  std::string label;  // for display
  Kind kind = Kind::other;

  // "high", "low", or empty if neither is better.
  [[nodiscard]] std::string_view better() const;
};

// The kind follows from the key, except that keys which the run's algorithm declares as its losses are
// losses.
Metric metric_of(std::string key, const select::Declared& declared = {});

// The smallest accuracy over the test environments, or the largest error.
inline constexpr std::string_view worst_accuracy = "worst_test_acc";
inline constexpr std::string_view worst_error = "worst_test_mse";

// Adds worst_test_acc to a run whose records lack it (DomainBed's). If a test environment is split, the
// larger part counts, as in DomainBed's tables.
void add_worst_accuracy(select::Run& run);

// Every metric that a run of the history has, most informative first. Environments have their names where all
// runs agree on them, and their roles, training or test, where all agree on those, too. A name that is a
// number is in quotes, since environments have numbers as well: "accuracy, '2021' (test)".
std::vector<Metric> metrics_of(const select::History& history);

// The label with the run's own name and role of the environment.
std::string label_in(const select::Run& run, const Metric& metric);

// The metric by which runs are ranked: worst_accuracy, or worst_error if all runs have that. Empty if no run
// has either.
std::string headline(std::span<const Metric> metrics);

}  // namespace pair::report
