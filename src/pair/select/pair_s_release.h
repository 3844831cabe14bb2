#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "pair/select/pair_s.h"

// The PAIR-s of the release's program for DomainBed (its model_selection.py), as far as it differs from
// Algorithm 2; PairOptions::rule chooses between the two. The release looks for "irm", "dann" and "groupdro" in
// the name of a run's folder; here they are looked for in the name of the algorithm. The number of last records that
// count is in pair_s_scoring.cpp for both.

namespace pair::select {

// One number per loss: (10^k, 1), (10^k, 1e-2, 1), (10^k, 1e-4, 1e-2, 1) and so on; k is truncated from
// log10(m) - 2, where m is the mean over runs of the smallest magnitude of the last loss in the run. For
// leave_one_out, 10^k is 1e-6. `runs` are those that compete with each other.
std::vector<double> preference_of_the_release(const std::vector<const Run*>& runs,
                                              const std::vector<std::string>& losses,
                                              const PairOptions& options);

// The score that a record must reach: nine tenths of the way from the worst to the best of all records.
double score_bar_of_the_release(const Run& run, const Decision& decision, const PairOptions& options);

// The number that the release maximises over the last records of a run. Below the bar, the lowest validation
// accuracy is the best: this counts if none of them reaches it.
double merit_of_the_release(const Candidate& candidate, double score_bar);

// Whether validation accuracy decides among runs.
bool goes_by_validation_in_the_release(std::string_view algorithm);

// Sorts the candidates from best to worst. A validation accuracy below decision.bar multiplies the (negative)
// score by 1e8. In a tie, the last candidate wins.
void rank_as_the_release(Decision& decision);

}  // namespace pair::select
