#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pair/select/history.h"

// What a criterion has chosen, and from what.

namespace pair::select {

// A run with the one record of it that a criterion considers.
struct Candidate {
  const Run* run = nullptr;  // of the history that was given, which must outlive this
  std::size_t record = 0;
  double validation = 0.0;    // the accuracy that the criterion goes by, between 0 and 1
  std::vector<double> tests;  // accuracies on the decision's test environments

  // PAIR-s alone: the losses L, the score -L^T p-hat, and whether the validation accuracy reaches the bar.
  std::vector<double> losses = {};
  double score = std::numeric_limits<double>::quiet_NaN();
  bool above_bar = true;
};

// One choice: among the runs of an algorithm on a dataset in one trial with the same test environments.
struct Decision {
  std::string dataset;
  std::string algorithm;
  std::int64_t trial_seed = 0;
  std::vector<int> test_envs;
  std::vector<Candidate> candidates;  // the chosen one first, then as they would follow; at least one

  // PAIR-s alone: the names of the losses, the preference p-hat (its sum is 1), the validation accuracy that
  // a run must reach, and whether validation accuracy decided among runs instead of the score.
  std::vector<std::string> losses = {};
  std::vector<double> preference = {};
  double bar = std::numeric_limits<double>::quiet_NaN();
  bool by_validation = true;

  [[nodiscard]] const Candidate& chosen() const { return candidates.front(); }
};

struct Selection {
  std::string criterion;            // as typed: "train-domain"
  std::string title;                // as printed: "training-domain validation set"
  std::vector<Decision> decisions;  // by dataset, algorithm, trial and test environments
  std::vector<std::string> notes;   // what was left out and why, a sentence each
};

}  // namespace pair::select
