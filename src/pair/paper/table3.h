#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/history.h"
#include "pair/sweep/definition.h"

// Table 3 of the paper: ColoredMNIST, PACS and TerraIncognita, with the appendix's tables for both validation
// sets: DomainBed's sweep of ERM, DANN, GroupDRO, IRM and Fishr, with models chosen by validation accuracy
// alone and by PAIR-s.

namespace pair::paper {

// erm, dann, groupdro, irmv1, fishr.
std::vector<std::string> table3_algorithms();
// ColoredMNIST, PACS, TerraIncognita.
std::vector<std::string> table3_datasets();

// The sweep behind the table of one dataset: each domain left out, n_hparams draws and n_trials trials of
// each algorithm (20 and 3 in the paper), hyperparameters as in Appendix G.2. `chosen` empty: all. Throws
// std::invalid_argument for an unknown algorithm or dataset. PACS and TerraIncognita need further settings in
// `common`: data_root, and weights with freeze_bn for the paper's protocol.
sweep::Definition table3_sweep(const std::vector<std::string>& chosen, std::int64_t n_hparams,
                               std::int64_t n_trials, const std::vector<runs::Override>& common,
                               std::string_view dataset = "ColoredMNIST");

// The validation set: from the training domains, or from the test domain (DomainBed's oracle).
enum class Table3Validation { train_domain, test_domain };

// From the sweep's records:
//   {"name", "dataset", "validation", "runs", "environments", "rows": [{"algorithm", "label", "pair_s",
//   "figures":
//     [{"mean", "error", "trials", "draws"} or null per environment], "average", "average_error", "worst",
//     "delta_worst", "paper": {"figures": [{"mean", "error"}...], "average": {"mean", "error"},
//     "delta_worst"}}]}
// Accuracies are in percent, errors are standard errors over trials. draws is the number of runs, per trial,
// that the model was chosen from. delta_worst is the gain by PAIR-s in the worst domain.
nlohmann::json table3(const select::History& history, Table3Validation validation,
                      std::string_view dataset = "ColoredMNIST");

std::string table3_text(const nlohmann::json& result);

}  // namespace pair::paper
