#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pair/select/decision.h"
#include "pair/select/validation.h"

// PAIR-s, Algorithm 2 of the paper. Within a run, losses choose the record. Among runs, a minimum validation
// accuracy (the bar) and then losses choose. The score of a record is
//
//   s = -L^T p-hat,   p-hat = p / sum(p),
//
// so higher is better; the paper's formula lacks the sign, its released code has it. Penalties are squares,
// but their unbiased estimates on a minibatch may be negative: with two or more losses, their absolute values
// count, unless PairOptions::with_sign is set.

namespace pair::select {

// The quantity that decides among runs.
enum class Across {
  paper,       // validation accuracy for GroupDRO, DANN and Validation::test_domain; otherwise the score
  score,       // the score, among runs that reach the bar
  validation,  // the validation accuracy
};

// Which PAIR-s.
enum class Rule {
  paper,    // Algorithm 2
  release,  // that of the release's program for DomainBed, where it differs (pair_s_release.h)
};

// The samples on which losses are measured.
enum class LossesFrom {
  train,     // the samples of training steps, as in the paper
  held_out,  // the held-out samples of the training environments, which cannot be memorised
};

struct PairOptions {
  Rule rule = Rule::paper;
  // One number above 0 per loss, in the order of losses.h. An algorithm with one loss fits any preference;
  // one with another number of losses is left out. Empty: the paper's second heuristic: p_0 = 1 and p_i = 100
  // L_0 / L_i for i > 0, where L_i is the median of loss i at convergence over all runs of the algorithm on
  // the dataset. For Rule::release, that of pair_s_release.h.
  std::vector<double> preference = {};
  // `skip`: number of logged steps ignored at the beginning of a run (the paper's c). `last`: number of last
  // steps considered. Neither: the paper's last 5 on ColoredMNIST and 10 elsewhere; with
  // Validation::test_domain, 5 for DANN and 10 for others. For Rule::release, also 5 for IRM.
  std::optional<std::size_t> skip = {};
  std::optional<std::size_t> last = {};
  // Position of the bar between the smallest (0) and the largest (1) validation accuracy.
  double percentile = 0.5;
  // Keys of the records, or names of our objectives. Empty: the defaults of losses.h.
  std::vector<std::string> losses = {};
  // With held_out, runs without held-out losses are left out.
  LossesFrom losses_from = LossesFrom::train;
  // Use losses as logged, including negative ones: the largest estimation error then wins. (The paper's
  // release multiplies a negative penalty by -1, which is the default here.)
  bool with_sign = false;
  Validation validation = Validation::train_domain;  // the accuracy that is compared with the bar
  Across across = Across::paper;
};

// Considers runs with one test environment, and runs whose test environments are not split (ours: no
// env{t}_in_acc), but not DomainBed's runs with two test environments. In a tie between runs, the better
// validation accuracy wins, then the smaller hparams_seed, then the first name (for Rule::release, the larger
// hparams_seed, then the last name); within a run, the first step.
// Throws std::invalid_argument for invalid options, including a preference that fits no algorithm.
Selection pair_s(const History& history, const PairOptions& options);

}  // namespace pair::select
