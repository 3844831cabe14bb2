#include "pair/select/groups.h"

#include <algorithm>
#include <tuple>

namespace pair::select {
namespace {

class Grouping {
 public:
  void add(const Run& run, std::vector<int> test_envs) {
    groups_[{run.dataset, run.algorithm, run.trial_seed, std::move(test_envs)}].push_back(&run);
  }

  // The result must not depend on the order of the history.
  [[nodiscard]] std::vector<Group> sorted() && {
    std::vector<Group> result;
    result.reserve(groups_.size());
    for (auto& [key, runs] : groups_) {
      std::sort(runs.begin(), runs.end(), [](const Run* a, const Run* b) {
        return std::tie(a->hparams_seed, a->logged_as, a->name) <
               std::tie(b->hparams_seed, b->logged_as, b->name);
      });
      const auto& [dataset, algorithm, trial_seed, test_envs] = key;
      result.push_back({dataset, algorithm, trial_seed, test_envs, std::move(runs)});
    }
    return result;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::int64_t, std::vector<int>>;
  std::map<Key, std::vector<const Run*>> groups_;
};

bool has_accuracies(const Run& run, LeftOut& left_out) {
  if (is_regression(run)) {
    left_out.add(
        run,
        "its records are those of a regression, with squared errors (mse), and every criterion needs "
        "accuracies; 'pair train --keep-checkpoints best' keeps the model of a run's best record, by its "
        "error in the training environments");
    return false;
  }
  return true;
}

}  // namespace

std::vector<Group> groups_by_test_environment(const History& history, LeftOut& left_out) {
  Grouping grouping;
  for (const Run& run : history) {
    if (!has_accuracies(run, left_out)) {
      continue;
    }
    for (const int environment : run.test_envs) {
      grouping.add(run, {environment});
    }
  }
  return std::move(grouping).sorted();
}

std::vector<Group> groups_by_test_environments(const History& history,
                                               const std::function<bool(const Run&)>& keep,
                                               LeftOut& left_out) {
  Grouping grouping;
  for (const Run& run : history) {
    if (keep(run) && has_accuracies(run, left_out)) {
      std::vector<int> test_envs = run.test_envs;
      std::sort(test_envs.begin(), test_envs.end());
      grouping.add(run, std::move(test_envs));
    }
  }
  return std::move(grouping).sorted();
}

void LeftOut::add(const Run& run, const std::string& reason) {
  auto& [count, first] = reasons_[reason];
  first = count == 0 ? run.name : std::min(first, run.name);
  ++count;
}

std::vector<std::string> LeftOut::sentences() const {
  std::vector<std::string> result;
  for (const auto& [reason, runs] : reasons_) {
    const auto& [count, first] = runs;
    result.push_back((count == 1 ? first + " was left out"
                                 : std::to_string(count) + " runs were left out, such as " + first) +
                     ": " + reason);
  }
  return result;
}

}  // namespace pair::select
