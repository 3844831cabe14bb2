#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "pair/runs/run.h"
#include "pair/runs/run_spec.h"

// The results of 'pair train' as it prints them.

namespace pair::cli {

// A run that has ended: finished, or stopped before.
struct TrainedRun {
  runs::RunSpec spec;
  runs::RunResult result;
  std::filesystem::path directory;
  std::int64_t bytes_sent = 0;  // by this rank, to others
};

// The scores of the run's last record, one row per part of an environment, and the worst test score. Writes
// nothing if there are no records.
void write_scores(const runs::RunSpec& spec, const runs::RunResult& result, std::ostream& out);

// For runs that leave out one environment each: the scores on the environment that was left out, and the mean
// on held-out samples of the others.
void write_left_out(const std::vector<TrainedRun>& runs, std::ostream& out);

// The summary of --json. `ranks`: the number of processes that trained the run.
nlohmann::ordered_json summary_json(const TrainedRun& run, std::int64_t ranks);

}  // namespace pair::cli
