#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pair/select/history.h"

// The choices of a criterion, and the candidates it considered.

namespace pair::select {

// A run and the one record of it that a criterion considers.
struct Candidate {
  const Run* run = nullptr;  // points into the given history, which must outlive this
  std::size_t record = 0;
  double validation = 0.0;    // the accuracy that the criterion uses, from 0 to 1
  std::vector<double> tests;  // accuracies on the decision's test environments

  // PAIR-s only: the losses L, the score -L^T p-hat, and whether the validation accuracy reaches the bar.
  std::vector<double> losses = {};
  double score = std::numeric_limits<double>::quiet_NaN();
  bool above_bar = true;
};

// One choice among the runs of an algorithm on a dataset, in one trial, with the same test environments.
struct Decision {
  std::string dataset;
  std::string algorithm;
  std::int64_t trial_seed = 0;
  std::vector<int> test_envs;
  std::vector<Candidate> candidates;  // in order of preference; the first is chosen; at least one

  // PAIR-s only: the names of the losses, the normalised preference p-hat (it sums to 1), the validation
  // accuracy that a run must reach, and whether validation accuracy instead of the score decided among runs.
  std::vector<std::string> losses = {};
  std::vector<double> preference = {};
  double bar = std::numeric_limits<double>::quiet_NaN();
  bool by_validation = true;
  bool by_test = false;  // whether that validation accuracy is the one in the test domains

  [[nodiscard]] const Candidate& chosen() const { return candidates.front(); }
};

struct Selection {
  std::string criterion;            // as on the command line: "train-domain"
  std::string title;                // as printed: "training-domain validation set"
  std::vector<Decision> decisions;  // by dataset, algorithm, trial and test environments
  std::vector<std::string> notes;   // one sentence per reason for leaving out runs
};

}  // namespace pair::select
