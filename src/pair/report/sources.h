#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pair/report/methods.h"
#include "pair/report/metric.h"
#include "pair/runs/evaluation.h"
#include "pair/select/decision.h"
#include "pair/select/read_histories.h"

// The input of a report, read once for the page and the figures.

namespace pair::report {

enum class State : std::uint8_t {
  done,
  failed,
  open,  // running or stopped: the records do not tell which
};

struct RunState {
  State state = State::open;
  std::string failure;  // the first line of the file 'failed'
};

struct Sources {
  select::Histories histories;  // with worst_test_acc added if missing
  std::vector<RunState> states;
  std::vector<Metric> metrics;
  std::string headline;  // the metric that ranks runs; may be empty
  std::vector<Method> methods;
  // The choices of each criterion; criteria without a choice come last. Points into the histories.
  std::vector<select::Selection> selections;
  // The evaluations of finished runs, by run, for those that have an evaluation.json: at most
  // most_evaluations of them, chosen by importance.h.
  std::map<std::size_t, runs::Evaluation> evaluations;

  Sources() = default;
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;
  Sources(Sources&&) = default;
  Sources& operator=(Sources&&) = default;
  ~Sources() = default;

  [[nodiscard]] const select::History& history() const { return histories.history; }
  // Null if there is no headline.
  [[nodiscard]] const Metric* headline_metric() const;
};

inline constexpr std::size_t most_evaluations = 24;

// From histories already read. Checks the runs' folders for the files 'done' and 'failed', and reads
// evaluation.json. One that cannot be used is added to the histories' left_out.
Sources sources_of(select::Histories histories);

// Throws the same errors as select::read_histories.
Sources read_sources(std::span<const std::filesystem::path> directories,
                     const select::ReadOptions& options = {});

}  // namespace pair::report
