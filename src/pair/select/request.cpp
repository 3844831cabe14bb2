#include "pair/select/request.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

#include "pair/base/algorithm_names.h"
#include "pair/base/choices.h"
#include "pair/base/names.h"
#include "pair/select/catalog.h"
#include "pair/select/criteria.h"
#include "pair/select/domainbed.h"
#include "pair/select/losses.h"
#include "pair/select/pair_s_scoring.h"
#include "pair/select/pair_within_run.h"

namespace pair::select {
namespace {

template <class Value, std::size_t size>
using Named = std::array<std::pair<std::string_view, Value>, size>;

constexpr std::array<std::string_view, 6> all_criteria{"pair",          "pair-run", "train-domain",
                                                       "leave-one-out", "oracle",   "all"};
constexpr Named<Validation, 4> validations{{{"train-domain", Validation::train_domain},
                                            {"test-domain", Validation::test_domain},
                                            {"leave-one-out", Validation::leave_one_out},
                                            {"training", Validation::training}}};
constexpr Named<Across, 3> ways_across{
    {{"paper", Across::paper}, {"score", Across::score}, {"validation", Across::validation}}};
constexpr Named<Rule, 2> rules{{{"paper", Rule::paper}, {"release", Rule::release}}};
constexpr Named<LossesFrom, 2> sources_of_losses{
    {{"train", LossesFrom::train}, {"held-out", LossesFrom::held_out}}};

template <class Value, std::size_t size>
Value value_named(std::string_view subject, const std::string& name, const Named<Value, size>& known) {
  std::array<std::string_view, size> names;
  for (std::size_t i = 0; i < size; ++i) {
    if (known[i].first == name) {
      return known[i].second;
    }
    names[i] = known[i].first;
  }
  throw std::invalid_argument(base::unexpected_name(subject, name, names));
}

// PAIR-s within a run reads the accuracies of its training domains only.
Validation validation_within_runs(const std::string& name) {
  const Validation validation = value_named("validation", name, validations);
  if (validation != Validation::train_domain && validation != Validation::training) {
    throw std::invalid_argument(
        "validation: expected train-domain or training with the criterion pair-run, got '" + name + "'");
  }
  return validation;
}

void check_count(const char* subject, const std::optional<std::int64_t>& count, std::int64_t least) {
  if (count && *count < least) {
    throw std::invalid_argument(std::string(subject) + ": expected an integer of at least " +
                                std::to_string(least) + ", got " + std::to_string(*count));
  }
}

// Keeps the runs that `is_called` one of the names. `known`: the names of all runs, for messages.
template <class IsCalled>
void keep_named(const char* kind, const std::vector<std::string>& names, const std::set<std::string>& known,
                History& history, IsCalled is_called) {
  if (names.empty()) {
    return;
  }
  for (const std::string& name : names) {
    if (std::none_of(history.begin(), history.end(), [&](const Run& run) { return is_called(name, run); })) {
      throw std::invalid_argument(
          base::unknown_name(kind, name, std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
  std::erase_if(history, [&](const Run& run) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return is_called(name, run); });
  });
}

// A misspelt loss would leave out every run.
void check_losses(const std::vector<std::string>& losses, const History& history) {
  const std::set<std::string> known = loss_names(history);
  for (const std::string& loss : losses) {
    if (std::count(losses.begin(), losses.end(), loss) > 1) {
      throw std::invalid_argument("losses: expected each loss once, got '" + loss + "' twice");
    }
    if (loss.ends_with("_acc")) {
      throw std::invalid_argument("losses: expected losses, got '" + loss + "', which is an accuracy");
    }
    if (std::none_of(history.begin(), history.end(),
                     [&loss](const Run& run) { return run.find_loss(loss) != nullptr; })) {
      throw std::invalid_argument(
          base::unknown_name("loss", loss, std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
}

PairOptions pair_options(const Request& request) {
  PairOptions options;
  options.rule = value_named("rule", request.rule, rules);
  options.preference = request.preference;
  options.skip = request.skip;
  options.last = request.last;
  options.percentile = request.percentile;
  options.losses = request.losses;
  options.losses_from = value_named("losses_from", request.losses_from, sources_of_losses);
  options.with_sign = request.with_sign;
  options.across = value_named("across", request.across, ways_across);
  return options;
}

std::vector<Selection> by_pair_s(const Request& request, const History& history) {
  PairOptions options = pair_options(request);
  if (!request.validation.empty()) {
    options.validation = value_named("validation", request.validation, validations);
    return {pair_s(history, options)};
  }
  std::vector<Selection> selections{pair_s_or_training(history, options)};
  if (request.criterion == "all") {
    options.validation = Validation::test_domain;
    selections.push_back(pair_s(history, options));
  }
  return selections;
}

// The release's rule for ColoredMNIST.
Selection within_runs(const Request& request, const History& history) {
  const PairOptions pair = pair_options(request);
  WithinRunOptions options{pair.losses, pair.preference, pair.skip, Validation::train_domain};
  if (!request.validation.empty()) {
    options.validation = validation_within_runs(request.validation);
    return pair_within_run(history, options);
  }
  Selection held_out = pair_within_run(history, options);
  options.validation = Validation::training;
  return held_out.decisions.empty() ? pair_within_run(history, options) : held_out;
}

// Options of PAIR-s with a criterion that does not read them.
void check_effects(const Request& request) {
  constexpr std::array<std::string_view, 3> without{"train-domain", "leave-one-out", "oracle"};
  if (std::ranges::find(without, request.criterion) == without.end()) {
    return;
  }
  const Request unchanged;
  const auto refuse = [&request](std::string_view option, bool changed) {
    if (changed) {
      throw std::invalid_argument(std::string(option) +
                                  ": expected with a criterion of PAIR-s (pair, pair-run or all), got '" +
                                  request.criterion + "', which does not use it");
    }
  };
  refuse("validation", request.validation != unchanged.validation);
  refuse("rule", request.rule != unchanged.rule);
  refuse("preference", request.preference != unchanged.preference);
  refuse("skip", request.skip != unchanged.skip);
  refuse("last", request.last != unchanged.last);
  refuse("percentile", request.percentile != unchanged.percentile);
  refuse("losses", request.losses != unchanged.losses);
  refuse("losses_from", request.losses_from != unchanged.losses_from);
  refuse("signed", request.with_sign != unchanged.with_sign);
  refuse("across", request.across != unchanged.across);
}

}  // namespace

std::span<const std::string_view> criterion_names() {
  return all_criteria;
}

void check(const Request& request) {
  if (std::find(all_criteria.begin(), all_criteria.end(), request.criterion) == all_criteria.end()) {
    throw std::invalid_argument(base::unexpected_name("criterion", request.criterion, all_criteria));
  }
  if (!request.validation.empty() && request.criterion == "pair-run") {
    (void)validation_within_runs(request.validation);
  } else if (!request.validation.empty()) {
    (void)value_named("validation", request.validation, validations);
  }
  check_count("skip", request.skip, 0);
  check_count("last", request.last, 1);
  check(pair_options(request));
  check_effects(request);
}

void keep_requested(const Request& request, History& history) {
  std::set<std::string> datasets;
  std::set<std::string> algorithms;
  for (const Run& run : history) {
    datasets.insert({run.dataset, run.recorded_dataset()});
    algorithms.insert({run.algorithm, run.trained_as()});
  }
  keep_named("dataset", request.datasets, datasets, history, [](const std::string& name, const Run& run) {
    return name == run.dataset || name == run.recorded_dataset();
  });
  keep_named("algorithm", request.algorithms, algorithms, history,
             [](const std::string& name, const Run& run) {
               return is_algorithm(name, run) || base::same_algorithm(name, run.trained_as());
             });
}

std::vector<Selection> choose(const Request& request, const History& history) {
  check(request);
  const auto wants = [&request](std::string_view criterion) {
    return request.criterion == criterion || (request.criterion == "all" && criterion != "pair-run");
  };
  std::vector<Selection> selections;
  if (wants("pair") || wants("pair-run")) {
    check_losses(request.losses, history);
  }
  if (wants("pair")) {
    selections = by_pair_s(request, history);
  }
  if (wants("pair-run")) {
    selections.push_back(within_runs(request, history));
  }
  if (wants("train-domain")) {
    selections.push_back(train_domain_or_training(history));
  }
  if (wants("leave-one-out")) {
    selections.push_back(leave_one_out(history));
  }
  if (wants("oracle")) {
    selections.push_back(oracle(history));
  }
  return selections;
}

}  // namespace pair::select
