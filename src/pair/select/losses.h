#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/history.h"

// The logged numbers that make up the losses L of PAIR-s. Our runs declare them in their records
// (Declared::losses). For other records, DomainBed's and those of our older runs, Appendix G.2 of the paper:
//
//   IRM, Fishr and V-REx    nll, penalty
//   GroupDRO                the worst group's loss: worst_risk in our records. DomainBed's records lack it;
//                           their loss, the weighted sum over groups, replaces it (group_dro in our records)
//   DANN, CDANN             gen_loss
//   ERM                     none: there is only one loss
//   others                  every objective of our records, in the order of hparams.objectives or, if the
//                           record has none, erm first and the others by name; for DomainBed's records, nll
//                           or loss and every key logged as a penalty
//
// If runs of DomainBed and ours are mixed, the first rule that fits all of them. A preference lists its
// numbers in this order.

namespace pair::select {

// The keys for an algorithm's runs: the first list that fits any of them (of mixed ones, all of them if there
// is such a list). Empty if none fits.
std::vector<std::string> default_losses(std::string_view algorithm, std::span<const Run* const> runs);

// The names that a list of losses may contain: the objectives of some run, and other logged numbers that are
// not accuracies.
std::set<std::string> loss_names(const History& history);

// Whether validation accuracy decides among an algorithm's runs instead of the score: as declared by the
// first run that declares it. Otherwise for GroupDRO and DANN, whose losses are too noisy to compare runs
// (the paper).
bool has_noisy_losses(std::string_view algorithm, std::span<const Run* const> runs);

}  // namespace pair::select
