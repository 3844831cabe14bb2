#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pair/runs/run_spec.h"
#include "pair/sweep/definition.h"

namespace pair::sweep {

// A run of a sweep.
struct Job {
  runs::RunSpec spec;
  TestEnvs test_envs;  // numbered as in its records
  std::string folder;  // below the sweep's folder: DATASET-ALGORITHM-sTRIAL-HASH, with the spec's hash

  // Identifies the job within a sweep: dataset, algorithm, test environments, trial and draw.
  [[nodiscard]] std::string place() const;
};

// The jobs in DomainBed's order: by trial, dataset, algorithm, test environments, draw. The trial is the
// run's seed. A dataset with fixed test environments has one set of them. Throws std::invalid_argument for
// invalid names, numbers and settings, including a setting that applies to none of the runs.
std::vector<Job> jobs_of(const Definition& definition);

// The jobs of all definitions, without duplicates.
std::vector<Job> jobs_of(std::span<const Definition> definitions);

}  // namespace pair::sweep
