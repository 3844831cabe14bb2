#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pair/select/decision.h"

// Groups of runs that compete with each other, and the reasons for leaving out others.

namespace pair::select {

struct Group {
  std::string dataset;
  std::string algorithm;
  std::int64_t trial_seed = 0;
  std::vector<int> test_envs;
  std::vector<const Run*> runs;  // by hparams_seed, logged_as and name

  // A decision without candidates, for this group.
  [[nodiscard]] Decision decision() const { return {dataset, algorithm, trial_seed, test_envs, {}}; }
};

// The reasons for leaving out runs: each reason once, with the number of runs and the first of them.
class LeftOut {
 public:
  void add(const Run& run, const std::string& reason);
  // "3 runs were left out, such as sweep/a: REASON".
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  std::map<std::string, std::pair<std::size_t, std::string>> reasons_;
};

// DomainBed's groups: one per test environment, with every run that has it among its test environments. Runs
// of regressions are left out here and below, since criteria compare accuracies.
std::vector<Group> groups_by_test_environment(const History& history, LeftOut& left_out);

// Groups of runs with the same test environments. `keep` selects the runs.
std::vector<Group> groups_by_test_environments(const History& history,
                                               const std::function<bool(const Run&)>& keep,
                                               LeftOut& left_out);

}  // namespace pair::select
