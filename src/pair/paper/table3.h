#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/select/history.h"
#include "pair/select/pair_s.h"
#include "pair/sweep/definition.h"

// Table 3 of the paper: ColoredMNIST, PACS and TerraIncognita, with the appendix's tables for both validation
// sets: DomainBed's sweep of ERM, DANN, GroupDRO, IRM and Fishr, with models chosen by validation accuracy
// alone and by PAIR-s.

namespace pair::paper {

// erm, dann, groupdro, irmv1, fishr.
std::vector<std::string> table3_algorithms();
// ColoredMNIST, PACS, TerraIncognita.
std::vector<std::string> table3_datasets();

// The validation set: from the training domains; from the test domain (DomainBed's oracle); or the training
// domains one by one, in runs that leave them out (not in the paper, which names the cost; in its release).
enum class Table3Validation { train_domain, test_domain, leave_one_out };

// The sweep behind the table of one dataset: each domain left out, n_hparams draws and n_trials trials of
// each algorithm (20 and 3 in the paper), hyperparameters as in Appendix G.2; for leave_one_out also every
// pair of test domains. `chosen` empty: all. Throws std::invalid_argument for an unknown algorithm or dataset.
// PACS and TerraIncognita need further settings in `common`: data_root, and weights with freeze_bn for the
// paper's protocol.
sweep::Definition table3_sweep(const std::vector<std::string>& chosen, std::int64_t n_hparams,
                               std::int64_t n_trials, const base::Assignments& common,
                               Table3Validation validation = Table3Validation::train_domain,
                               std::string_view dataset = "ColoredMNIST");

// From the sweep's records:
//   {"name", "dataset", "validation", "rule", "runs", "environments", "rows": [{"algorithm", "label", "pair_s",
//   "figures":
//     [{"mean", "error", "trials", "draws"} or null per environment], "average", "average_error", "worst",
//     "delta_worst", "paper": {"figures": [{"mean", "error"}...], "average": {"mean", "error"},
//     "delta_worst"}}]}, where the values of "paper" are null for leave_one_out.
// Accuracies are in percent, errors are standard errors over trials. draws is the number of runs, per trial,
// that the model was chosen from. delta_worst is the gain by PAIR-s in the worst domain.
nlohmann::json table3(const select::History& history, Table3Validation validation,
                      std::string_view dataset = "ColoredMNIST", select::Rule rule = select::Rule::paper);

std::string table3_text(const nlohmann::json& result);

}  // namespace pair::paper
