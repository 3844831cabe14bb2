#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pair/select/decision.h"
#include "pair/select/validation.h"

// PAIR-s within a run: the rule of the paper's release for ColoredMNIST (its function pair_selection), by
// which Tables 6 and 7 choose a step. All records after annealing count. The bar is at 5% of the range of
// their validation accuracies, and of the records that reach it, the one with the smallest L^T p is chosen,
// where p depends on the number of losses alone:
//
//   2   (10^k, 1),  k = max(-12, trunc(log10 of the mean last loss - 2))
//   3   (1e-12, 1e-2, 1)
//   4   (1e-12, 1e-4, 1e-2, 1)
//   5   (1e-12, 1e-6, 1e-4, 1e-2, 1)
//
// So the last loss decides, and the order of the losses matters: the release has them from the smallest
// preference of PAIR-o to the largest. The rule says nothing about the choice among runs.

namespace pair::select {

struct WithinRun {
  std::size_t record = 0;          // the index of the chosen record
  double bar = 0.0;                // the validation accuracy that it must reach
  double score = 0.0;              // -L^T p of the chosen record
  std::vector<double> preference;  // p
};

// losses: one list per record, all of the same length; validation: one accuracy per record. preference: one
// number per loss, or empty for the above; more than 5 losses continue the pattern, and a single one has
// preference 1. If the mean last loss is 0 or negative, 10^k is 1e-12. In a tie, the first record is chosen.
// Throws std::invalid_argument for no records and for lists of different lengths.
WithinRun choose_within_run(std::span<const std::vector<double>> losses, std::span<const double> validation,
                            std::span<const double> preference = {});

struct WithinRunOptions {
  // Keys of the records, or names of our objectives, in the order of p. Empty: those of losses.h, in the
  // order of the preference that the run was trained with, if there is one.
  std::vector<std::string> losses = {};
  std::vector<double> preference = {};  // p; empty: the above
  // Number of logged steps ignored at the beginning of a run. None: those up to the run's `pretrain`.
  std::optional<std::size_t> skip = {};
  // The accuracy for the bar: train_domain or training.
  Validation validation = Validation::training;
};

// The rule in a sweep. Among runs, the accuracy on the test domains' validation set chooses (of test
// environments that are not split, their mean accuracy), as hyperparameters are chosen in the paper's
// Appendix F.1. Records whose losses are not finite do not count.
Selection pair_within_run(const History& history, const WithinRunOptions& options);

}  // namespace pair::select
