#include "pair/cli/select_choices.h"

#include <algorithm>
#include <cmath>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/select/catalog.h"

namespace pair::cli {
namespace {

std::string per_cent(double accuracy) {
  return base::with_decimals(100.0 * accuracy, 1);
}

bool has_scores(const select::Decision& decision) {
  return !decision.losses.empty();
}

// The values of a candidate: step, accuracies and, for PAIR-s, score and losses.
std::vector<std::string> figures_of(const select::Decision& decision, const select::Candidate& candidate) {
  std::vector<std::string> row{std::to_string(candidate.run->steps[candidate.record]),
                               per_cent(candidate.validation), shown_tests(candidate)};
  if (has_scores(decision)) {
    row.push_back(short_number(candidate.score));
    row.push_back(shown_losses(decision, candidate));
  }
  return row;
}

// Names of runs are names of folders, and hyperparameters come from files.
void make_printable(Rows& rows) {
  for (std::vector<std::string>& row : rows) {
    for (std::string& cell : row) {
      cell = base::printable(cell);
    }
  }
}

}  // namespace

VaryingHparams::VaryingHparams(const select::History& history) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, const std::string*>> first;
  for (const select::Run& run : history) {
    const std::pair key(run.dataset, run.algorithm);
    for (const auto& [name, value] : run.hparams) {
      const auto [known, is_new] = first[key].try_emplace(name, &value);
      if (!is_new && *known->second != value) {
        varying_[key].insert(name);
      }
    }
  }
}

std::string VaryingHparams::of(const select::Run& run) const {
  const auto names = varying_.find({run.dataset, run.algorithm});
  std::string text;
  for (const auto& [name, value] : run.hparams) {
    if (names != varying_.end() && names->second.contains(name)) {
      text.append(text.empty() ? "" : ", ").append(name).append("=").append(value);
    }
  }
  return text.empty() ? "-" : text;
}

std::string short_number(double value) {
  return std::isnan(value) ? "-" : base::with_digits(value);
}

std::string shown_losses(const select::Decision& decision, const select::Candidate& candidate) {
  std::string text;
  for (std::size_t i = 0; i < candidate.losses.size(); ++i) {
    text += (i == 0 ? "" : ", ") + decision.losses[i] + " " + short_number(candidate.losses[i]);
  }
  return text;
}

std::string shown_environments(const select::Decision& decision) {
  const select::Run& run = *decision.chosen().run;
  return base::joined(decision.test_envs, ", ",
                      [&run](int environment) { return select::environment_name(run, environment); });
}

std::string shown_tests(const select::Candidate& candidate) {
  return base::joined(candidate.tests, ", ", per_cent);
}

Rows choice_rows(const select::Selection& selection, const VaryingHparams& hparams) {
  const bool scores = !selection.decisions.empty() && has_scores(selection.decisions.front());
  Rows rows{{"dataset", "algorithm", "trial", "test", "run", "step", "validation", "accuracy"}};
  if (scores) {
    rows[0].insert(rows[0].end(), {"score", "losses"});
  }
  rows[0].emplace_back("hyperparameters that vary");
  for (const select::Decision& decision : selection.decisions) {
    const select::Candidate& chosen = decision.chosen();
    std::vector<std::string> row{decision.dataset, decision.algorithm, std::to_string(decision.trial_seed),
                                 shown_environments(decision), chosen.run->name};
    for (std::string& word : figures_of(decision, chosen)) {
      row.push_back(std::move(word));
    }
    row.push_back(hparams.of(*chosen.run));
    rows.push_back(std::move(row));
  }
  return rows;
}

Rows candidate_rows(const select::Decision& decision, const VaryingHparams& hparams) {
  Rows rows{{"", "run", "step", "validation", "accuracy"}};
  if (has_scores(decision)) {
    rows[0].insert(rows[0].end(), {"score", "losses"});
  }
  rows[0].emplace_back("hyperparameters that vary");
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const select::Candidate& candidate = decision.candidates[i];
    std::vector<std::string> row{i == 0                ? "chosen"
                                 : candidate.above_bar ? ""
                                                       : "below the bar",
                                 candidate.run->name};
    for (std::string& word : figures_of(decision, candidate)) {
      row.push_back(std::move(word));
    }
    row.push_back(hparams.of(*candidate.run));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string explanation(const select::Decision& decision, double percentile) {
  std::string text = base::printable(decision.algorithm + " on " + decision.dataset) + ", trial " +
                     std::to_string(decision.trial_seed) + ", tested in " + shown_environments(decision);
  if (!has_scores(decision)) {
    return text + ": the best validation accuracy of " + std::to_string(decision.candidates.size()) +
           (decision.candidates.size() == 1 ? " run" : " runs");
  }
  text += ": score = -(";
  for (std::size_t i = 0; i < decision.losses.size(); ++i) {
    text += (i == 0 ? "" : " + ") + short_number(decision.preference[i]) + " " + decision.losses[i];
  }
  text += ") chose within runs; ";
  if (decision.by_validation) {
    return text + (decision.by_test ? "the accuracy in the test domains chose among runs"
                                    : "validation accuracy chose among runs");
  }
  const auto reach = std::count_if(decision.candidates.begin(), decision.candidates.end(),
                                   [](const select::Candidate& candidate) { return candidate.above_bar; });
  return text + "among the " + std::to_string(reach) + " of " + std::to_string(decision.candidates.size()) +
         " runs with a validation accuracy of at least " + per_cent(decision.bar) + " (" +
         short_number(percentile) + " of the way from the smallest to the largest), the score chose";
}

std::string aligned(Rows rows, std::string_view indent) {
  make_printable(rows);
  return base::aligned(rows, {.indent = indent});
}

std::string as_markdown(Rows rows) {
  make_printable(rows);
  return base::markdown(rows);
}

}  // namespace pair::cli
