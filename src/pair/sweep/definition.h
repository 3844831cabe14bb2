#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/runs/run_spec.h"
#include "pair/sweep/hparams.h"
#include "pair/sweep/test_envs.h"

namespace pair::sweep {

// A sweep: every algorithm on every dataset, with every set of test environments, every draw of
// hyperparameters and every trial.
struct Definition {
  std::vector<std::string> datasets;    // names of 'pair list datasets'
  std::vector<std::string> algorithms;  // names of 'pair list algorithms', or DomainBed's
  std::int64_t n_hparams = 20;          // draws; the first has the defaults. 1 to 100,000
  std::int64_t n_trials = 3;            // seeds 0, 1, ... of data and model. 1 to 100,000
  std::vector<TestEnvs> test_envs;      // empty: DomainBed's list
  bool single_test_envs = false;        // only those of DomainBed's list with one test environment
  Search search = Search::domainbed;
  // Settings for every run that has them; they override drawn values.
  base::Assignments set;
  Draws draws = Draws::domainbed;
};

nlohmann::json as_json(const Definition& definition);
// Throws std::invalid_argument with a sentence for JSON that as_json did not write.
Definition definition_from_json(const nlohmann::json& json);

}  // namespace pair::sweep
