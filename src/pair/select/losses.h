#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/history.h"

// Which logged numbers make up the losses L of PAIR-s. Our runs say so in their records (Declared::losses).
// For records that do not, DomainBed's and those of our older runs, Appendix G.2 of the paper does:
//
//   IRM, Fishr and V-REx    nll, penalty
//   GroupDRO                the worst group's loss: worst_risk in our records. DomainBed's have none, and its
//   loss,
//                           the weighted groups', stands in (as group_dro would in ours)
//   DANN, CDANN             gen_loss
//   ERM                     none: it has no loss but its own
//   others                  every objective of our records, in the order of hparams.objectives, or, where the
//                           record has none, erm first and then by name; for DomainBed's, nll or loss and
//                           what else is logged as a penalty
//
// Where runs of DomainBed and ours are mixed, the first of these that all have. A preference has its numbers
// in this order.

namespace pair::select {

// The keys for an algorithm's runs: the first list that fits any of them (of mixed ones, all of them if there
// is such a list). Empty where none does.
std::vector<std::string> default_losses(std::string_view algorithm, std::span<const Run* const> runs);

// Whether validation accuracy decides among an algorithm's runs instead of the score: as the first run that
// says so says. Else that is GroupDRO and DANN, whose losses the paper finds too noisy to compare runs by.
bool has_noisy_losses(std::string_view algorithm, std::span<const Run* const> runs);

}  // namespace pair::select
