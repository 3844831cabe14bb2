#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "pair/runs/run.h"
#include "pair/runs/run_spec.h"

// The results of 'pair train' as it prints them.

namespace pair::cli {

// The mean squared error of a regression on a table.
inline constexpr std::string_view of_standardised_label =
    "of the standardised label; on the training rows, predicting their mean gives 1";

// A run that has ended: finished, or stopped before.
struct TrainedRun {
  runs::RunSpec spec;
  runs::RunResult result;
  std::filesystem::path directory;
  std::int64_t bytes_sent = 0;  // by this rank, to others
};

// The scores of the run's last record, one row per part of an environment, and the worst test score. Writes
// nothing if there are no records. Mean squared errors are in the units of the records, and the text names
// them.
void write_scores(const runs::RunSpec& spec, const runs::RunResult& result, std::ostream& out);

// For runs that leave out one environment each: the scores on the environment that was left out, and the mean
// on held-out samples of the others.
void write_left_out(const std::vector<TrainedRun>& runs, std::ostream& out);

// The summary of --json. `ranks`: the number of processes that trained the run.
nlohmann::ordered_json summary_json(const TrainedRun& run, std::int64_t ranks);

// The same for runs that leave out one environment each: `runs`, their summaries; `left_out`, the rows of
// write_left_out; `metric`, accuracy or mse; `mean` and `worst` over these rows, null unless the runs are
// `complete`.
nlohmann::ordered_json left_out_json(const std::vector<TrainedRun>& runs, std::int64_t ranks, bool complete);

}  // namespace pair::cli
