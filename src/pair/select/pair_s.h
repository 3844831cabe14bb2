#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pair/select/decision.h"

// PAIR-s, Algorithm 2 of the paper: losses choose within a run, a bar of validation accuracy and then losses
// choose among runs. The score of a record is
//
//   s = -L^T p-hat,   p-hat = p / sum(p),
//
// so that higher is better; the paper's formula lacks the sign, its release has it. A penalty is a square,
// but its unbiased estimate on a minibatch may fall below zero: of two or more losses, the magnitudes count,
// where PairOptions::with_sign does not say otherwise.

namespace pair::select {

// Which accuracy the bar is about.
enum class Validation {
  train_domain,  // mean of env{i}_out_acc over the training domains, numbered from 0 without a gap
  test_domain,   // mean of env{t}_out_acc over the test domains
  training,      // mean of env{i}_in_acc over the training domains, for runs that hold nothing out
};

// What decides among the runs.
enum class Across {
  paper,       // the validation accuracy for GroupDRO, DANN and Validation::test_domain; else the score
  score,       // the score of the runs that reach the bar
  validation,  // the validation accuracy
};

struct PairOptions {
  // One number above 0 a loss, in the order of losses.h; for an algorithm with one loss any preference does,
  // and one with another number of losses is left out. Empty: the paper's second heuristic. At convergence,
  // by the median over all runs of the algorithm on the dataset, loss i is L_i; then p_i = 100 L_0 / L_i for
  // i > 0, and p_0 = 1.
  std::vector<double> preference = {};
  // Logged steps of a run that do not take part, from its beginning (the paper's c), or how many of its last
  // ones do. Neither: the paper's last 5 on ColoredMNIST and 10 elsewhere; with Validation::test_domain 5 for
  // DANN and 10 for others.
  std::optional<std::size_t> skip = {};
  std::optional<std::size_t> last = {};
  // The bar lies at this share of the way from the least to the largest validation accuracy. 0 to 1.
  double percentile = 0.5;
  // Keys of the records, or objectives of ours; empty: losses.h.
  std::vector<std::string> losses = {};
  // Losses count as they were logged, below zero too, as in the paper's release: the largest estimate of an
  // error then wins.
  bool with_sign = false;
  Validation validation = Validation::train_domain;
  Across across = Across::paper;
};

// Runs with one test environment take part, and those whose test environments are not split (ours: no
// env{t}_in_acc); DomainBed's runs with two test environments do not. Of equal runs, the one with the better
// validation accuracy, then the smaller hparams_seed, then the first name is taken; within a run, the first
// step. Throws std::invalid_argument for options that cannot be used, a preference that fits no algorithm
// among them.
Selection pair_s(const History& history, const PairOptions& options);

}  // namespace pair::select
