#include "pair/select/pair_s.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "pair/select/groups.h"
#include "pair/select/losses.h"
#include "pair/select/pair_s_leave_one_out.h"
#include "pair/select/pair_s_release.h"
#include "pair/select/pair_s_scoring.h"

namespace pair::select {
namespace {

constexpr std::string_view held_out_prefix = "held_out_losses.";

std::string needs(Validation which) {
  switch (which) {
    case Validation::train_domain:
      return "PAIR-s needs env{i}_out_acc of the training domains, numbered from 0 without a gap, for the "
             "bar; for runs without held-out data, use the validation 'training'";
    case Validation::test_domain:
      return "PAIR-s needs env{i}_out_acc of the test domain for the test-domain validation";
    case Validation::training:
      return "PAIR-s needs env{i}_in_acc of the training domains for the validation 'training'";
    case Validation::leave_one_out:
      break;  // pair_s_leave_one_out.h
  }
  return {};
}

std::string held_out_losses_of(const Run& run) {
  std::string names;
  for (const Column& column : run.columns) {
    if (column.key.starts_with(held_out_prefix)) {
      names += (names.empty() ? "" : ", ") + column.key.substr(held_out_prefix.size());
    }
  }
  return names.empty() ? "it has none, since they need a held-out part of each training environment (holdout)"
                       : "it has them for " + names;
}

// Algorithm 2, lines 3 to 5.
std::optional<Candidate> best_record(const Run& run, const Decision& decision, const PairOptions& options,
                                     LeftOut& left_out) {
  const RunLosses losses(run, decision.losses, options);
  if (!losses.complete()) {
    left_out.add(run, options.losses_from == LossesFrom::held_out
                          ? "it has not logged all of the losses that PAIR-s uses for " + run.trained_as() +
                                " on held-out samples: " + held_out_losses_of(run)
                          : "it has not logged all of the losses that PAIR-s uses for " + run.trained_as());
    return std::nullopt;
  }
  const std::vector<std::size_t> records = converged(run, options);
  if (records.empty()) {
    left_out.add(run, "PAIR-s skips " + std::to_string(options.skip.value_or(0)) +
                          " logged steps, and the run has no more");
    return std::nullopt;
  }
  const Accuracies accuracies(run);
  // The release chooses by the score alone where the test domain's accuracy chooses among runs.
  const bool released = options.rule == Rule::release && options.validation != Validation::test_domain;
  const double score_bar = released ? score_bar_of_the_release(run, decision, options) : 0.0;
  const auto merit = [&](const Candidate& candidate) {
    return released ? merit_of_the_release(candidate, score_bar) : candidate.score;
  };
  std::optional<Candidate> best;
  bool finite = false;
  for (const std::size_t record : records) {
    std::vector<double> at = losses.at(record);
    if (at.empty()) {
      continue;
    }
    finite = true;
    Candidate candidate{&run, record, validation_of(run, accuracies, record, options.validation), {}};
    candidate.score = score_of(at, decision.preference);
    for (const int environment : decision.test_envs) {
      candidate.tests.push_back(test_accuracy(accuracies, environment, record));
    }
    const bool known = !std::isnan(candidate.validation) &&
                       std::none_of(candidate.tests.begin(), candidate.tests.end(),
                                    [](double accuracy) { return std::isnan(accuracy); });
    if (known && (!best || merit(candidate) > merit(*best))) {
      candidate.losses = std::move(at);
      best = std::move(candidate);
    }
  }
  if (!best) {
    left_out.add(run, finite ? needs(options.validation)
                             : "none of the steps that PAIR-s considers has finite losses");
  }
  return best;
}

// Algorithm 2, lines 7 to 11: sorts the candidates from best to worst.
void rank(Decision& decision, const PairOptions& options) {
  std::vector<Candidate>& candidates = decision.candidates;
  const auto [least, most] =
      std::minmax_element(candidates.begin(), candidates.end(),
                          [](const Candidate& a, const Candidate& b) { return a.validation < b.validation; });
  // At percentile 1, rounding must not raise the bar above the best run.
  decision.bar = std::min((most->validation - least->validation) * options.percentile + least->validation,
                          most->validation);
  for (Candidate& candidate : candidates) {
    candidate.above_bar = decision.by_validation || candidate.validation >= decision.bar;
  }
  if (options.rule == Rule::release) {
    return rank_as_the_release(decision);
  }
  const auto order = [by_validation = decision.by_validation](const Candidate& candidate) {
    const double first = by_validation ? candidate.validation : candidate.score;
    const double second = by_validation ? candidate.score : candidate.validation;
    return std::tuple(!candidate.above_bar, -first, -second);
  };
  // Stable: they are sorted by hparams_seed and name.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [order](const Candidate& a, const Candidate& b) { return order(a) < order(b); });
}

}  // namespace

Selection pair_s(const History& history, const PairOptions& options) {
  check(options);
  if (options.validation == Validation::leave_one_out) {
    return pair_s_leave_one_out(history, options);
  }
  Selection selection;
  switch (options.validation) {
    case Validation::train_domain:
      selection = {"pair", "PAIR-s, training-domain validation set", {}, {}};
      break;
    case Validation::test_domain:
      selection = {"pair-test-domain", "PAIR-s, test-domain validation set", {}, {}};
      break;
    case Validation::training:
      selection = {"pair-training", "PAIR-s, training accuracy", {}, {}};
      break;
    case Validation::leave_one_out:
      break;  // above
  }
  selection.title += rule_in_title(options);
  if (options.losses_from == LossesFrom::held_out) {
    selection.title += ", held-out losses";
  }
  LeftOut left_out;
  const std::vector<Group> groups = groups_by_test_environments(history, takes_part, left_out);
  const Scorings scorings = scorings_of(groups, options, left_out);
  for (const Group& group : groups) {
    const Scoring& scoring = scorings.at({group.dataset, group.algorithm});
    Decision decision = group.decision();
    decision.losses = scoring.losses;
    decision.preference = preference_for(group, scoring, options);
    const std::string& algorithm = group.runs.front()->trained_as();
    const bool noisy = options.rule == Rule::release ? goes_by_validation_in_the_release(algorithm)
                                                     : has_noisy_losses(algorithm, group.runs);
    decision.by_validation =
        options.across == Across::validation ||
        (options.across == Across::paper && (options.validation == Validation::test_domain || noisy));
    decision.by_test = decision.by_validation && options.validation == Validation::test_domain;
    for (const Run* run : group.runs) {
      if (scoring.losses.empty()) {
        break;
      }
      if (auto candidate = best_record(*run, decision, options, left_out)) {
        decision.candidates.push_back(*std::move(candidate));
      }
    }
    if (!decision.candidates.empty()) {
      rank(decision, options);
      selection.decisions.push_back(std::move(decision));
    }
  }
  selection.notes = left_out.sentences();
  if (groups.empty() && !std::all_of(history.begin(), history.end(), is_regression)) {
    selection.notes.emplace_back(
        "every run leaves out two environments or more for cross-validation; PAIR-s needs "
        "runs with one test environment");
  }
  return selection;
}

}  // namespace pair::select
