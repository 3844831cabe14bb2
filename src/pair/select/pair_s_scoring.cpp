#include "pair/select/pair_s_scoring.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "pair/base/algorithm_names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/select/losses.h"
#include "pair/select/means.h"
#include "pair/select/pair_s_release.h"

namespace pair::select {
namespace {

// By name, since these are numbers of the paper's experiments and not properties of an algorithm or a dataset.
// Records do not hold them, and those of DomainBed and of earlier runs must give the same choices.
// The release compares parts of algorithms' names: CDANN counts as DANN, and so do IRM's relatives as IRM.
std::size_t last_steps_of(const Run& run, Validation validation, Rule rule) {
  const std::string algorithm = base::plain_name(run.trained_as());
  const bool release = rule == Rule::release;
  if (validation == Validation::test_domain) {
    return (release ? algorithm.find("dann") != std::string::npos : algorithm == "dann") ? 5 : 10;
  }
  const bool coloured = run.dataset == "ColoredMNIST" || run.dataset.starts_with("cmnist");
  return coloured || (release && algorithm.find("irm") != std::string::npos) ? 5 : 10;
}

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
    const RunLosses losses(*run, keys, options);
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

// A preference that fits no algorithm is an error, not a selection among algorithms. An algorithm with a
// single loss fits any.
void refuse_useless_preference(const Scorings& scorings) {
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

std::vector<double> preference_for(const Group& group, const Scoring& scoring, const PairOptions& options) {
  return options.rule == Rule::release && options.preference.empty() && !scoring.losses.empty()
             ? normalised(preference_of_the_release(group.runs, scoring.losses, options))
             : scoring.preference;
}

std::string rule_in_title(const PairOptions& options) {
  return options.rule == Rule::release ? ", the release's rule" : "";
}

bool takes_part(const Run& run) {
  const Accuracies accuracies(run);
  return run.test_envs.size() == 1 ||
         std::none_of(run.test_envs.begin(), run.test_envs.end(), [&](int environment) {
           return run.records() > 0 && !std::isnan(accuracies.in(environment, run.records() - 1));
         });
}

std::vector<std::size_t> records_by_step(const Run& run) {
  std::map<std::int64_t, std::size_t> by_step;
  for (std::size_t record = 0; record < run.records(); ++record) {
    by_step[run.steps[record]] = record;
  }
  std::vector<std::size_t> records;
  records.reserve(by_step.size());
  for (const auto& [step, record] : by_step) {
    records.push_back(record);
  }
  return records;
}

std::vector<std::size_t> converged(const Run& run, const PairOptions& options) {
  std::vector<std::size_t> records = records_by_step(run);
  const std::size_t keep = options.last.value_or(last_steps_of(run, options.validation, options.rule));
  const std::size_t skip = options.skip ? *options.skip : records.size() - std::min(keep, records.size());
  records.erase(records.begin(),
                records.begin() + static_cast<std::ptrdiff_t>(std::min(skip, records.size())));
  return records;
}

double score_of(const std::vector<double>& losses, const std::vector<double>& preference) {
  return -std::inner_product(losses.begin(), losses.end(), preference.begin(), 0.0);
}

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

Scorings scorings_of(const std::vector<Group>& groups, const PairOptions& options, LeftOut& left_out) {
  std::map<std::pair<std::string, std::string>, std::vector<const Run*>> by_algorithm;
  for (const Group& group : groups) {
    auto& runs = by_algorithm[{group.dataset, group.algorithm}];
    for (const Run* run : group.runs) {
      if (std::find(runs.begin(), runs.end(), run) == runs.end()) {
        runs.push_back(run);
      }
    }
  }
  Scorings scorings;
  for (const auto& [key, runs] : by_algorithm) {
    scorings[key] = scoring_of(runs.front()->trained_as(), runs, options, left_out);
  }
  refuse_useless_preference(scorings);
  return scorings;
}

}  // namespace pair::select
