#include "pair/select/domainbed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "pair/select/groups.h"
#include "pair/select/means.h"

namespace pair::select {
namespace {

// Runs of a group with the same hparams_seed, which DomainBed treats as one run.
using Runs = std::span<const Run* const>;

bool has_one_test_environment(const Run* run) {
  return run->test_envs.size() == 1;
}

// DomainBed's own: its test environments are split.
bool is_split(const Run* run) {
  return has_one_test_environment(run) && !has_whole_test_environments(*run);
}

// Draw 3 of DomainBed's search is unrelated to draw 3 of ours.
bool are_one_run(const Run& a, const Run& b) {
  return a.hparams_seed == b.hparams_seed && a.logged_as == b.logged_as;
}

// Keeps the candidate with the better validation accuracy; the earlier one in a tie.
void keep_better(std::optional<Candidate>& best, Candidate candidate) {
  if (!best || candidate.validation > best->validation) {
    best = std::move(candidate);
  }
}

std::optional<Candidate> best_by_training_domains(Runs runs, int test_env, LeftOut& left_out) {
  std::optional<Candidate> best;
  for (const Run* run : runs) {
    if (!is_split(run)) {
      continue;
    }
    const Accuracies accuracies(*run);
    bool usable = false;
    std::vector<double> held_out;
    for (std::size_t record = 0; record < run->records(); ++record) {
      const double test = accuracies.in(test_env, record);
      held_out.clear();
      for (int i = 0; i < accuracies.held_out(record); ++i) {
        if (i != test_env) {
          held_out.push_back(accuracies.out(i, record));
        }
      }
      if (!std::isnan(test) && !held_out.empty()) {
        usable = true;
        keep_better(best, {run, record, mean(held_out), {test}});
      }
    }
    if (!usable) {
      left_out.add(*run,
                   "training-domain validation needs env{i}_out_acc of the training domains, numbered from "
                   "0 without a gap, and env{i}_in_acc of the test domain");
    }
  }
  return best;
}

std::optional<Candidate> last_record(Runs runs, int test_env, LeftOut& left_out) {
  const Run* last = nullptr;
  std::size_t record = 0;
  for (const Run* run : runs) {
    const std::size_t records = is_split(run) ? run->records() : 0;
    for (std::size_t i = 0; i < records; ++i) {
      if (last == nullptr || run->steps[i] >= last->steps[record]) {
        last = run;
        record = i;
      }
    }
  }
  if (last == nullptr) {
    return std::nullopt;
  }
  const Accuracies accuracies(*last);
  const double validation = accuracies.out(test_env, record);
  const double test = accuracies.in(test_env, record);
  if (std::isnan(validation) || std::isnan(test)) {
    left_out.add(*last,
                 "the oracle needs env{i}_out_acc and env{i}_in_acc of the test domain in the last record");
    return std::nullopt;
  }
  return Candidate{last, record, validation, {test}};
}

// A record at one step, within a group.
struct Logged {
  std::int64_t step;
  const Run* run;
  const Accuracies* accuracies;
  std::size_t record;
};

// None if the step lacks the run itself or one of the runs that also leave out a training domain.
std::optional<Candidate> cross_validated(std::span<const Logged> logged, int test_env) {
  const Logged* own = nullptr;
  for (const Logged& one : logged) {
    if (has_one_test_environment(one.run)) {
      if (own != nullptr) {
        return std::nullopt;
      }
      own = &one;
    }
  }
  if (own == nullptr) {
    return std::nullopt;
  }
  const int environments = own->accuracies->held_out(own->record);
  const double test = own->accuracies->in(test_env, own->record);
  if (test_env >= environments || environments < 2 || std::isnan(test)) {
    return std::nullopt;
  }
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> validation(static_cast<std::size_t>(environments), missing);
  for (const Logged& one : logged) {
    if (one.run->test_envs.size() == 2) {
      const int other = one.run->test_envs[one.run->test_envs[0] == test_env ? 1 : 0];
      if (other < environments) {
        validation[static_cast<std::size_t>(other)] = one.accuracies->in(other, one.record);
      }
    }
  }
  validation.erase(validation.begin() + test_env);
  const double validated = mean(validation);
  return std::isnan(validated) ? std::nullopt
                               : std::optional(Candidate{own->run, own->record, validated, {test}});
}

std::optional<Candidate> best_by_cross_validation(Runs runs, int test_env, LeftOut& left_out) {
  std::vector<Accuracies> accuracies;
  accuracies.reserve(runs.size());
  std::vector<Logged> logged;
  for (const Run* run : runs) {
    accuracies.emplace_back(*run);
    for (std::size_t i = 0; i < run->records(); ++i) {
      logged.push_back({run->steps[i], run, &accuracies.back(), i});
    }
  }
  std::stable_sort(logged.begin(), logged.end(),
                   [](const Logged& a, const Logged& b) { return a.step < b.step; });
  std::optional<Candidate> best;
  for (std::size_t first = 0, end = 0; first < logged.size(); first = end) {
    while (end < logged.size() && logged[end].step == logged[first].step) {
      ++end;
    }
    if (auto candidate = cross_validated(std::span(logged).subspan(first, end - first), test_env)) {
      keep_better(best, *std::move(candidate));
    }
  }
  const auto own = std::find_if(runs.begin(), runs.end(), has_one_test_environment);
  if (!best && own != runs.end()) {
    left_out.add(**own,
                 "leave-one-domain-out needs, for each training domain, the run of the same hparams_seed and "
                 "trial_seed with that domain as a second test domain, and records at the same steps");
  }
  return best;
}

enum class Which { all, last };  // of a run's records

// The best record by the validation accuracy, tested on all of the run's test environments.
std::optional<Candidate> best_on_all(const Run& run, const std::vector<int>& test_envs, Validation validation,
                                     Which which) {
  const Accuracies accuracies(run);
  std::optional<Candidate> best;
  for (std::size_t record = which == Which::last ? run.records() - 1 : 0; record < run.records(); ++record) {
    Candidate candidate{&run, record, validation_of(run, accuracies, record, validation), {}};
    for (const int environment : test_envs) {
      candidate.tests.push_back(test_accuracy(accuracies, environment, record));
    }
    if (!std::isnan(candidate.validation) && std::none_of(candidate.tests.begin(), candidate.tests.end(),
                                                          [](double test) { return std::isnan(test); })) {
      keep_better(best, std::move(candidate));
    }
  }
  return best;
}

// Reversed, so that the larger hparams_seed comes first in a tie.
void add_decision(Decision decision, Selection& selection) {
  std::reverse(decision.candidates.begin(), decision.candidates.end());
  std::stable_sort(decision.candidates.begin(), decision.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.validation > b.validation; });
  if (!decision.candidates.empty()) {
    selection.decisions.push_back(std::move(decision));
  }
}

// Adds the choices among the runs that `keep` says.
template <class Keep>
void choose_on_all(const History& history, Validation validation, Which which, Keep keep, const char* needs,
                   Selection& selection) {
  LeftOut left_out;
  for (const Group& group : groups_by_test_environments(history, keep, left_out)) {
    Decision decision = group.decision();
    for (const Run* run : group.runs) {
      if (auto candidate = best_on_all(*run, group.test_envs, validation, which)) {
        decision.candidates.push_back(*std::move(candidate));
      } else {
        left_out.add(*run, needs);
      }
    }
    add_decision(std::move(decision), selection);
  }
  for (std::string& sentence : left_out.sentences()) {
    selection.notes.push_back(std::move(sentence));
  }
  std::sort(selection.decisions.begin(), selection.decisions.end(), [](const Decision& a, const Decision& b) {
    return std::tie(a.dataset, a.algorithm, a.trial_seed, a.test_envs) <
           std::tie(b.dataset, b.algorithm, b.trial_seed, b.test_envs);
  });
}

template <class BestOf>
Selection select_by_accuracy(const History& history, const char* name, const char* title, BestOf best_of,
                             bool (*is_wanted)(const Run*) = has_one_test_environment) {
  Selection selection{name, title, {}, {}};
  LeftOut left_out;
  // Others are chosen from elsewhere.
  bool any =
      is_wanted == is_split && std::any_of(history.begin(), history.end(), has_whole_test_environments);
  for (const Group& group : groups_by_test_environment(history, left_out)) {
    Decision decision = group.decision();
    for (std::size_t first = 0, end = 0; first < group.runs.size(); first = end) {
      while (end < group.runs.size() && are_one_run(*group.runs[end], *group.runs[first])) {
        ++end;
      }
      const Runs runs = std::span(group.runs).subspan(first, end - first);
      any = any || std::any_of(runs.begin(), runs.end(), is_wanted);
      if (auto candidate = best_of(runs, group.test_envs.front(), left_out)) {
        decision.candidates.push_back(*std::move(candidate));
      }
    }
    add_decision(std::move(decision), selection);
  }
  selection.notes = left_out.sentences();
  std::vector<const Run*> others;
  for (const Run& run : history) {
    if (!any && !is_regression(run)) {
      others.push_back(&run);
    }
  }
  if (!others.empty()) {
    const Run& first = **std::min_element(others.begin(), others.end(),
                                          [](const Run* a, const Run* b) { return a->name < b->name; });
    selection.notes.push_back("no run has exactly one test environment, which this criterion needs; " +
                              first.name + " has " + std::to_string(first.test_envs.size()));
  }
  return selection;
}

}  // namespace

Selection training_accuracy(const History& history) {
  Selection selection{"training", "training accuracy", {}, {}};
  choose_on_all(
      history, Validation::training, Which::all,
      [](const Run& run) { return run.test_envs.size() == 1 || has_whole_test_environments(run); },
      "it needs env{i}_in_acc of the training domains, and the accuracy on its test domains", selection);
  return selection;
}

Selection train_domain(const History& history) {
  Selection selection = select_by_accuracy(history, "train-domain", "training-domain validation set",
                                           best_by_training_domains, is_split);
  choose_on_all(history, Validation::train_domain, Which::all, has_whole_test_environments,
                "training-domain validation needs env{i}_out_acc of the training domains, numbered from 0 "
                "without a gap",
                selection);
  return selection;
}

Selection leave_one_out(const History& history) {
  return select_by_accuracy(history, "leave-one-out", "leave-one-domain-out cross-validation",
                            best_by_cross_validation);
}

Selection oracle(const History& history) {
  Selection selection =
      select_by_accuracy(history, "oracle", "test-domain validation set (oracle)", last_record, is_split);
  choose_on_all(history, Validation::test_domain, Which::last, has_whole_test_environments,
                "the oracle needs env{i}_out_acc of the test domains in the last record", selection);
  if (std::any_of(selection.decisions.begin(), selection.decisions.end(), [](const Decision& decision) {
        return has_whole_test_environments(*decision.chosen().run);
      })) {
    selection.notes.emplace_back(
        "the test environments are not split, so the accuracy is on the data that the model was chosen by");
  }
  return selection;
}

}  // namespace pair::select
