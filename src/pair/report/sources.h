#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pair/report/methods.h"
#include "pair/report/metric.h"
#include "pair/select/decision.h"
#include "pair/select/read_histories.h"

// What a report is made from, read once for the page and the figures.

namespace pair::report {

enum class State : std::uint8_t {
  done,
  failed,
  open,  // going on, or stopped: the records do not tell
};

struct RunState {
  State state = State::open;
  std::string failure;  // the first line of the file 'failed'
};

struct Sources {
  select::Histories histories;  // worst_test_acc added where it was missing
  std::vector<RunState> states;
  std::vector<Metric> metrics;
  std::string headline;  // the metric that says how good a run is; may be empty
  std::vector<Method> methods;
  // What each criterion chose, those that chose nothing last. Points into the histories.
  std::vector<select::Selection> selections;

  Sources() = default;
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;
  Sources(Sources&&) = default;
  Sources& operator=(Sources&&) = default;
  ~Sources() = default;

  [[nodiscard]] const select::History& history() const { return histories.history; }
  // Null without a headline.
  [[nodiscard]] const Metric* headline_metric() const;
};

// From what was read already. Looks into the runs' folders for the files 'done' and 'failed'.
Sources sources_of(select::Histories histories);

// Throws as select::read_histories does.
Sources read_sources(std::span<const std::filesystem::path> directories,
                     const select::ReadOptions& options = {});

}  // namespace pair::report
