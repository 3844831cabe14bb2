#include "pair/select/pair_s_leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "pair/select/means.h"
#include "pair/select/pair_s_scoring.h"

namespace pair::select {
namespace {

constexpr double dropped_share = 0.9;  // of the steps, those with the lowest validation accuracies

struct Fold {
  const Run* run;
  int left_out;  // the training domain that it is validated in
  Accuracies accuracies;
  RunLosses losses;
  std::map<std::int64_t, std::size_t> records;  // by step
};

// A step of a draw.
struct Validated {
  std::size_t record;  // of the run with one test domain
  double validation;
  double score;
  std::vector<double> losses;  // means over the folds
};

std::map<std::int64_t, std::size_t> records_of_steps(const Run& run) {
  std::map<std::int64_t, std::size_t> records;
  for (const std::size_t record : records_by_step(run)) {
    records[run.steps[record]] = record;
  }
  return records;
}

// None if a fold lacks the step, one of its losses or its accuracy.
std::optional<Validated> validated(std::span<const Fold> folds, std::int64_t step, std::size_t record,
                                   const Decision& decision) {
  std::vector<double> accuracies;
  std::vector<double> sums(decision.losses.size(), 0.0);
  for (const Fold& fold : folds) {
    const auto at = fold.records.find(step);
    if (at == fold.records.end()) {
      return std::nullopt;
    }
    const std::vector<double> losses = fold.losses.at(at->second);
    accuracies.push_back(fold.accuracies.in(fold.left_out, at->second));
    if (losses.empty() || std::isnan(accuracies.back())) {
      return std::nullopt;
    }
    std::transform(sums.begin(), sums.end(), losses.begin(), sums.begin(), std::plus<>());
  }
  for (double& sum : sums) {
    sum /= static_cast<double>(folds.size());
  }
  const double score = -std::inner_product(sums.begin(), sums.end(), decision.preference.begin(), 0.0);
  return Validated{record, mean(accuracies), score, std::move(sums)};
}

// One draw of hyperparameters: the run with one test domain, and those that leave out another one.
std::optional<Candidate> candidate_of(std::span<const Run* const> runs, const Decision& decision,
                                      const PairOptions& options, LeftOut& left_out) {
  const int test_env = decision.test_envs.front();
  const Run* own = nullptr;
  std::vector<Fold> folds;
  for (const Run* run : runs) {
    if (run->test_envs.size() == 1) {
      own = run;
    } else if (run->test_envs.size() == 2) {
      const int other = run->test_envs[run->test_envs[0] == test_env ? 1 : 0];
      folds.push_back(
          {run, other, Accuracies(*run), RunLosses(*run, decision.losses, options), records_of_steps(*run)});
    }
  }
  if (own == nullptr || own->records() == 0) {
    return std::nullopt;
  }
  const auto leave_out = [&](const char* reason) {
    left_out.add(*own, reason);
    return std::nullopt;
  };
  const Accuracies accuracies(*own);
  const auto training_domains = static_cast<std::size_t>(std::max(accuracies.environments() - 1, 0));
  if (folds.empty() || folds.size() != training_domains) {
    return leave_out(
        "leave-one-domain-out needs, for each training domain, the run of the same hparams_seed and "
        "trial_seed with that domain as a second test domain");
  }
  if (std::any_of(folds.begin(), folds.end(), [](const Fold& fold) { return !fold.losses.complete(); })) {
    return leave_out("the runs that leave out a second domain have not logged all losses that PAIR-s uses");
  }
  std::vector<std::size_t> records = records_by_step(*own);
  if (options.skip || options.last) {
    records = converged(*own, options);
  }
  std::vector<Validated> steps;
  for (const std::size_t record : records) {
    auto step = validated(folds, own->steps[record], record, decision);
    if (step && !std::isnan(test_accuracy(accuracies, test_env, record))) {
      steps.push_back(*std::move(step));
    }
  }
  if (steps.empty()) {
    return leave_out("leave-one-domain-out needs records at the same steps in all runs of a draw");
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Validated& a, const Validated& b) { return a.validation < b.validation; });
  const auto first = static_cast<std::size_t>(static_cast<double>(steps.size()) * dropped_share);
  const auto best =
      std::max_element(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end(),
                       [](const Validated& a, const Validated& b) { return a.score < b.score; });
  Candidate candidate{
      own, best->record, best->validation, {test_accuracy(accuracies, test_env, best->record)}};
  candidate.losses = best->losses;
  candidate.score = best->score;
  return candidate;
}

bool same_draw(const Run& a, const Run& b) {
  return a.hparams_seed == b.hparams_seed && a.logged_as == b.logged_as;
}

}  // namespace

Selection pair_s_leave_one_out(const History& history, const PairOptions& options) {
  check(options);
  Selection selection{"pair-leave-one-out", "PAIR-s, leave-one-domain-out cross-validation", {}, {}};
  selection.title += rule_in_title(options);
  LeftOut left_out;
  const std::vector<Group> groups = groups_by_test_environment(history, left_out);
  const Scorings scorings = scorings_of(groups, options, left_out);
  for (const Group& group : groups) {
    const Scoring& scoring = scorings.at({group.dataset, group.algorithm});
    Decision decision = group.decision();
    decision.losses = scoring.losses;
    decision.preference = preference_for(group, scoring, options);
    for (std::size_t first = 0, end = 0; first < group.runs.size() && !scoring.losses.empty(); first = end) {
      while (end < group.runs.size() && same_draw(*group.runs[end], *group.runs[first])) {
        ++end;
      }
      if (auto candidate =
              candidate_of(std::span(group.runs).subspan(first, end - first), decision, options, left_out)) {
        decision.candidates.push_back(*std::move(candidate));
      }
    }
    // In a tie, the smaller hparams_seed, as in the other forms.
    std::stable_sort(decision.candidates.begin(), decision.candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.validation > b.validation; });
    if (!decision.candidates.empty()) {
      selection.decisions.push_back(std::move(decision));
    }
  }
  selection.notes = left_out.sentences();
  return selection;
}

}  // namespace pair::select
