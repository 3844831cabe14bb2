#include "pair/select/pair_s.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "pair/base/algorithm_names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/select/means.h"
#include "pair/select/groups.h"
#include "pair/select/losses.h"

namespace pair::select {
namespace {

void check(const PairOptions& options) {
  for (const double p : options.preference) {
    if (!(p > 0.0) || !std::isfinite(p)) {
      throw std::invalid_argument("preference: expected finite numbers above 0, got " + base::shown(p));
    }
  }
  if (!(options.percentile >= 0.0 && options.percentile <= 1.0)) {
    throw std::invalid_argument("percentile: expected a number from 0 to 1, got " +
                                base::shown(options.percentile));
  }
  if (options.skip && options.last) {
    throw std::invalid_argument("expected either steps to skip or last steps to keep, got both");
  }
  if (options.last == std::size_t{0}) {
    throw std::invalid_argument("last steps to keep: expected at least 1, got 0");
  }
}

// Divides by the largest first, so that the sum does not overflow.
std::vector<double> normalised(std::vector<double> preference) {
  const double largest = *std::max_element(preference.begin(), preference.end());
  for (double& p : preference) {
    p /= largest;
  }
  const double sum = std::accumulate(preference.begin(), preference.end(), 0.0);
  for (double& p : preference) {
    p /= sum;
  }
  return preference;
}

bool takes_part(const Run& run) {
  const Accuracies accuracies(run);
  return run.test_envs.size() == 1 ||
         std::none_of(run.test_envs.begin(), run.test_envs.end(), [&](int environment) {
           return run.records() > 0 && !std::isnan(accuracies.in(environment, run.records() - 1));
         });
}

std::size_t last_steps_of_the_paper(const Run& run, Validation validation) {
  if (validation == Validation::test_domain) {
    return run.trained_as() == "DANN" || run.trained_as() == "dann" ? 5 : 10;
  }
  return run.dataset == "ColoredMNIST" || run.dataset.starts_with("cmnist") ? 5 : 10;
}

// The records that take part, in the order of steps. If a step was logged twice, as by a run that was
// restarted, the later record counts.
std::vector<std::size_t> converged(const Run& run, const PairOptions& options) {
  std::map<std::int64_t, std::size_t> by_step;
  for (std::size_t record = 0; record < run.records(); ++record) {
    by_step[run.steps[record]] = record;
  }
  std::vector<std::size_t> records;
  records.reserve(by_step.size());
  for (const auto& [step, record] : by_step) {
    records.push_back(record);
  }
  const std::size_t keep = options.last.value_or(last_steps_of_the_paper(run, options.validation));
  const std::size_t skip = options.skip ? *options.skip : records.size() - std::min(keep, records.size());
  records.erase(records.begin(),
                records.begin() + static_cast<std::ptrdiff_t>(std::min(skip, records.size())));
  return records;
}

// The losses of a run's records; none are read if the run lacks one of them.
class Losses {
 public:
  Losses(const Run& run, const std::vector<std::string>& keys, const PairOptions& options)
      : magnitudes_(keys.size() > 1 && !options.with_sign) {
    for (const std::string& key : keys) {
      columns_.push_back(options.losses_from == LossesFrom::held_out ? run.find_held_out_loss(key)
                                                                     : run.find_loss(key));
    }
  }

  [[nodiscard]] bool complete() const {
    return std::find(columns_.begin(), columns_.end(), nullptr) == columns_.end();
  }

  // Empty if one of them is not finite.
  [[nodiscard]] std::vector<double> at(std::size_t record) const {
    std::vector<double> losses;
    for (const Column* column : columns_) {
      const double loss = column->values[record];
      if (!std::isfinite(loss)) {
        return {};
      }
      losses.push_back(magnitudes_ ? std::abs(loss) : loss);
    }
    return losses;
  }

 private:
  bool magnitudes_;
  std::vector<const Column*> columns_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// The paper's second heuristic (Appendix D.3). A loss that has vanished in most runs gets no ratio.
std::vector<double> estimated_preference(const std::vector<const Run*>& runs,
                                         const std::vector<std::string>& keys, const PairOptions& options) {
  constexpr double slightly_higher = 1e2;
  std::vector<std::vector<double>> at_convergence(keys.size());
  for (const Run* run : runs) {
    const Losses losses(*run, keys, options);
    std::vector<std::vector<double>> of_run(keys.size());
    for (const std::size_t record :
         losses.complete() ? converged(*run, options) : std::vector<std::size_t>()) {
      const std::vector<double> at = losses.at(record);
      for (std::size_t i = 0; i < at.size(); ++i) {
        of_run[i].push_back(at[i]);
      }
    }
    for (std::size_t i = 0; i < keys.size() && !of_run[i].empty(); ++i) {
      at_convergence[i].push_back(mean(of_run[i]));
    }
  }
  std::vector<double> preference(keys.size(), 1.0);
  if (at_convergence[0].empty()) {
    return preference;
  }
  const double erm = std::abs(median(at_convergence[0]));
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const double ratio = slightly_higher * erm / std::abs(median(at_convergence[i]));
    preference[i] = std::isfinite(ratio) && ratio > 0.0 ? ratio : slightly_higher;
  }
  return preference;
}

std::string needs(Validation which) {
  switch (which) {
    case Validation::train_domain:
      return "PAIR-s needs env{i}_out_acc of the training domains, numbered from 0 without a gap, for the "
             "bar; for runs without held-out data, use the validation 'training'";
    case Validation::test_domain:
      return "PAIR-s needs env{i}_out_acc of the test domain for the test-domain validation";
    case Validation::training:
      return "PAIR-s needs env{i}_in_acc of the training domains for the validation 'training'";
  }
  return {};
}

// Algorithm 2, lines 3 to 5.
std::optional<Candidate> best_record(const Run& run, const Decision& decision, const PairOptions& options,
                                     LeftOut& left_out) {
  const Losses losses(run, decision.losses, options);
  if (!losses.complete()) {
    left_out.add(run, options.losses_from == LossesFrom::held_out
                          ? "it has not logged all of the losses that PAIR-s uses for " + run.trained_as() +
                                " on held-out samples: there are such losses for erm, irmv1 and vrex, where "
                                "each training environment has a held-out part (holdout)"
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
  std::optional<Candidate> best;
  bool finite = false;
  for (const std::size_t record : records) {
    std::vector<double> at = losses.at(record);
    if (at.empty()) {
      continue;
    }
    finite = true;
    Candidate candidate{&run, record, validation_of(run, accuracies, record, options.validation), {}};
    candidate.score = -std::inner_product(at.begin(), at.end(), decision.preference.begin(), 0.0);
    for (const int environment : decision.test_envs) {
      candidate.tests.push_back(test_accuracy(accuracies, environment, record));
    }
    const bool known = !std::isnan(candidate.validation) &&
                       std::none_of(candidate.tests.begin(), candidate.tests.end(),
                                    [](double accuracy) { return std::isnan(accuracy); });
    if (known && (!best || candidate.score > best->score)) {
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
void rank(Decision& decision, double percentile) {
  std::vector<Candidate>& candidates = decision.candidates;
  const auto [least, most] =
      std::minmax_element(candidates.begin(), candidates.end(),
                          [](const Candidate& a, const Candidate& b) { return a.validation < b.validation; });
  // At percentile 1, rounding must not raise the bar above the best run.
  decision.bar =
      std::min((most->validation - least->validation) * percentile + least->validation, most->validation);
  for (Candidate& candidate : candidates) {
    candidate.above_bar = decision.by_validation || candidate.validation >= decision.bar;
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

struct Scoring {
  std::vector<std::string> losses;  // empty: its runs are left out
  std::vector<double> preference;
  std::string misfit = {};  // why the given preference does not fit
};

// A preference that fits no algorithm is an error, not a selection among algorithms. An algorithm with a
// single loss fits any.
void refuse_useless_preference(const std::map<std::pair<std::string, std::string>, Scoring>& scorings) {
  const std::string* misfit = nullptr;
  for (const auto& [key, scoring] : scorings) {
    if (scoring.losses.size() > 1) {
      return;
    }
    misfit = misfit == nullptr && !scoring.misfit.empty() ? &scoring.misfit : misfit;
  }
  if (misfit != nullptr) {
    throw std::invalid_argument(*misfit);
  }
}

// The runs whose losses may be read: with held-out losses, those that have any, so that others do not decide
// which losses count.
std::vector<const Run*> readable(const std::vector<const Run*>& runs, LossesFrom from) {
  std::vector<const Run*> some;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(some), [from](const Run* run) {
    return from == LossesFrom::train || run->find_held_out_loss("erm") != nullptr;
  });
  return some.empty() ? runs : some;
}

// The scoring for all runs of an algorithm on a dataset.
Scoring scoring_of(const std::string& algorithm, const std::vector<const Run*>& runs,
                   const PairOptions& options, LeftOut& left_out) {
  Scoring scoring{options.losses.empty() ? default_losses(algorithm, readable(runs, options.losses_from))
                                         : options.losses,
                  {}};
  if (scoring.losses.empty()) {
    const std::string reason =
        base::plain_name(algorithm) == "erm"
            ? "PAIR-s does not apply to " + algorithm +
                  " (one loss, nothing to trade off); --losses overrides"
            : "PAIR-s finds no losses of " + algorithm + " in these records; --losses names them";
    for (const Run* run : runs) {
      left_out.add(*run, reason);
    }
    return scoring;
  }
  const std::size_t count = scoring.losses.size();
  if (options.preference.empty()) {
    scoring.preference = normalised(estimated_preference(runs, scoring.losses, options));
  } else if (count == 1) {
    scoring.preference = {1.0};
  } else if (count == options.preference.size()) {
    scoring.preference = normalised(options.preference);
  } else {
    scoring.misfit = "the preference has " + std::to_string(options.preference.size()) + " number" +
                     (options.preference.size() == 1 ? "" : "s") + ", but " + algorithm + " has " +
                     std::to_string(count) + " losses: " + base::joined(scoring.losses);
    for (const Run* run : runs) {
      left_out.add(*run, scoring.misfit);
    }
    scoring.losses.clear();
  }
  return scoring;
}

}  // namespace

Selection pair_s(const History& history, const PairOptions& options) {
  check(options);
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
  }
  if (options.losses_from == LossesFrom::held_out) {
    selection.title += ", held-out losses";
  }
  LeftOut left_out;
  const std::vector<Group> groups = groups_by_test_environments(history, takes_part);
  std::map<std::pair<std::string, std::string>, std::vector<const Run*>> by_algorithm;
  for (const Group& group : groups) {
    auto& runs = by_algorithm[{group.dataset, group.algorithm}];
    runs.insert(runs.end(), group.runs.begin(), group.runs.end());
  }
  std::map<std::pair<std::string, std::string>, Scoring> scorings;
  for (const auto& [key, runs] : by_algorithm) {
    scorings[key] = scoring_of(runs.front()->trained_as(), runs, options, left_out);
  }
  refuse_useless_preference(scorings);
  for (const Group& group : groups) {
    const Scoring& scoring = scorings.at({group.dataset, group.algorithm});
    Decision decision = group.decision();
    decision.losses = scoring.losses;
    decision.preference = scoring.preference;
    decision.by_validation =
        options.across == Across::validation ||
        (options.across == Across::paper && (options.validation == Validation::test_domain ||
                                             has_noisy_losses(group.runs.front()->trained_as(), group.runs)));
    for (const Run* run : group.runs) {
      if (scoring.losses.empty()) {
        break;
      }
      if (auto candidate = best_record(*run, decision, options, left_out)) {
        decision.candidates.push_back(*std::move(candidate));
      }
    }
    if (!decision.candidates.empty()) {
      rank(decision, options.percentile);
      selection.decisions.push_back(std::move(decision));
    }
  }
  selection.notes = left_out.sentences();
  if (groups.empty() && !history.empty()) {
    selection.notes.emplace_back(
        "every run leaves out two environments or more for cross-validation; PAIR-s needs "
        "runs with one test environment");
  }
  return selection;
}

}  // namespace pair::select
