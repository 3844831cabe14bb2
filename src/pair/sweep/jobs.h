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
  TestEnvs test_envs;  // as its records number them
  std::string folder;  // in the sweep's: DATASET-ALGORITHM-sTRIAL-HASH, by the spec's hash

  // What it is a run of: dataset, algorithm, test environments, trial and draw. In a sweep one job has them.
  [[nodiscard]] std::string place() const;
};

// The jobs in DomainBed's order: by trial, dataset, algorithm, test environments, draw. The trial is the
// run's seed. A dataset whose test environments are fixed has one set of them. Throws std::invalid_argument
// for names, numbers and settings that cannot be used, among them a setting that says nothing to any of the
// runs.
std::vector<Job> jobs_of(const Definition& definition);

// The jobs of all, each once.
std::vector<Job> jobs_of(std::span<const Definition> definitions);

}  // namespace pair::sweep
