#include "pair/select/pair_within_run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "pair/select/groups.h"
#include "pair/select/losses.h"
#include "pair/select/means.h"
#include "pair/select/pair_s_scoring.h"

namespace pair::select {
namespace {

constexpr double bar_position = 0.05;
constexpr double least_preference = 1e-12;

std::vector<double> preference_by_number(std::span<const std::vector<double>> losses) {
  const std::size_t count = losses.front().size();
  if (count <= 1) {
    return std::vector<double>(count, 1.0);
  }
  if (count == 2) {
    double sum = 0.0;
    for (const std::vector<double>& record : losses) {
      sum += record.back();
    }
    const double magnitude = std::log10(sum / static_cast<double>(losses.size())) - 2.0;
    const double exponent = std::isfinite(magnitude) ? std::max(-12.0, std::trunc(magnitude)) : -12.0;
    return {std::pow(10.0, exponent), 1.0};
  }
  // From the last: 1, 1e-2, 1e-4, ...; the first is the smallest.
  std::vector<double> preference(count, least_preference);
  for (std::size_t i = 1; i < count; ++i) {
    const double exponent = -2.0 * static_cast<double>(count - 1 - i);
    preference[i] = std::max(std::pow(10.0, exponent), least_preference);
  }
  return preference;
}

// The number or list of numbers in a JSON text, such as 150 or [1.0,1e10]; empty if it is neither.
std::vector<double> numbers_in_json(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end) {
    double number = 0.0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error == std::errc()) {
      numbers.push_back(number);
      at = next;
    } else {
      ++at;
    }
  }
  return numbers;
}

std::vector<double> numbers_of(const Run& run, std::string_view name) {
  return numbers_in_json(run.setting(name));
}

// In the order of the preference that the run was trained with.
std::vector<std::string> ordered_losses(std::vector<std::string> losses, const Run& run) {
  const std::vector<double> preference = numbers_of(run, "preference");
  if (preference.size() != losses.size()) {
    return losses;
  }
  std::vector<std::size_t> order(losses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return preference[a] < preference[b]; });
  std::vector<std::string> ordered;
  for (const std::size_t i : order) {
    ordered.push_back(losses[i]);
  }
  return ordered;
}

std::vector<std::size_t> after_annealing(const Run& run, const WithinRunOptions& options) {
  std::vector<std::size_t> records = records_by_step(run);
  if (options.skip) {
    records.erase(records.begin(),
                  records.begin() + static_cast<std::ptrdiff_t>(std::min(*options.skip, records.size())));
    return records;
  }
  const std::vector<double> pretrain = numbers_of(run, "pretrain");
  if (pretrain.size() == 1) {
    std::erase_if(records, [&](std::size_t record) {
      return static_cast<double>(run.steps[record]) <= pretrain.front();
    });
  }
  return records;
}

struct ChosenRecord {
  Candidate candidate;
  std::vector<std::string> losses;
  WithinRun choice;
};

// None, with a reason in left_out, if the run lacks something.
std::optional<ChosenRecord> chosen_record(const Run& run, const std::vector<int>& test_envs,
                                          std::vector<std::string> keys, const WithinRunOptions& options,
                                          LeftOut& left_out) {
  const auto leave_out = [&](const std::string& reason) {
    left_out.add(run, reason);
    return std::nullopt;
  };
  PairOptions with_sign;
  with_sign.with_sign = true;
  if (options.losses.empty()) {
    keys = ordered_losses(std::move(keys), run);
  }
  const RunLosses read(run, keys, with_sign);
  if (!read.complete()) {
    return leave_out("it has not logged all of the losses that PAIR-s uses for " + run.trained_as());
  }
  const Accuracies accuracies(run);
  std::vector<std::size_t> records;
  std::vector<std::vector<double>> losses;
  std::vector<double> validation;
  for (const std::size_t record : after_annealing(run, options)) {
    std::vector<double> at = read.at(record);
    const double accuracy = validation_of(run, accuracies, record, options.validation);
    if (!at.empty() && !std::isnan(accuracy)) {
      records.push_back(record);
      losses.push_back(std::move(at));
      validation.push_back(accuracy);
    }
  }
  if (records.empty()) {
    return leave_out(
        "PAIR-s within a run needs records after annealing with finite losses and the accuracy in the "
        "training domains");
  }
  WithinRun choice = choose_within_run(losses, validation, options.preference);
  Candidate candidate{&run, records[choice.record], 0.0, {}};
  candidate.validation = validation_of(run, accuracies, candidate.record, Validation::test_domain);
  for (const int environment : test_envs) {
    candidate.tests.push_back(test_accuracy(accuracies, environment, candidate.record));
  }
  if (std::isnan(candidate.validation) || std::isnan(mean(candidate.tests))) {
    return leave_out("PAIR-s within a run needs the accuracy on the test domains, to choose among runs");
  }
  candidate.losses = losses[choice.record];
  candidate.score = choice.score;
  return ChosenRecord{std::move(candidate), std::move(keys), std::move(choice)};
}

}  // namespace

WithinRun choose_within_run(std::span<const std::vector<double>> losses, std::span<const double> validation,
                            std::span<const double> preference) {
  if (losses.empty() || losses.size() != validation.size()) {
    throw std::invalid_argument("records: expected losses and an accuracy for at least one, got " +
                                std::to_string(losses.size()) + " and " + std::to_string(validation.size()));
  }
  WithinRun result;
  result.preference = preference.empty() ? preference_by_number(losses)
                                         : std::vector<double>(preference.begin(), preference.end());
  for (const std::vector<double>& record : losses) {
    if (record.size() != result.preference.size()) {
      throw std::invalid_argument("preference: expected one number per loss (" +
                                  std::to_string(record.size()) + "), got " +
                                  std::to_string(result.preference.size()));
    }
  }
  const auto [least, most] = std::minmax_element(validation.begin(), validation.end());
  result.bar = (*most - *least) * bar_position + *least;
  bool any = false;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (validation[i] < result.bar) {
      continue;
    }
    const double score =
        -std::inner_product(losses[i].begin(), losses[i].end(), result.preference.begin(), 0.0);
    if (!any || score > result.score) {
      result.record = i;
      result.score = score;
      any = true;
    }
  }
  return result;
}

Selection pair_within_run(const History& history, const WithinRunOptions& options) {
  Selection selection{"pair-run", "PAIR-s within each run, test-domain validation set among runs", {}, {}};
  LeftOut left_out;
  for (const Group& group : groups_by_test_environments(history, takes_part, left_out)) {
    const std::vector<std::string> keys = options.losses.empty()
                                              ? default_losses(group.runs.front()->trained_as(), group.runs)
                                              : options.losses;
    Decision decision = group.decision();
    std::vector<ChosenRecord> chosen;
    for (const Run* run : group.runs) {
      if (keys.empty()) {
        left_out.add(*run, "PAIR-s within a run needs losses to trade off; --losses names them");
      } else if (!options.preference.empty() && options.preference.size() != keys.size()) {
        left_out.add(*run, "the preference has " + std::to_string(options.preference.size()) +
                               " numbers, but there are " + std::to_string(keys.size()) + " losses");
      } else if (auto one = chosen_record(*run, group.test_envs, keys, options, left_out)) {
        chosen.push_back(*std::move(one));
      }
    }
    if (chosen.empty()) {
      continue;
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const ChosenRecord& a, const ChosenRecord& b) {
      return a.candidate.validation > b.candidate.validation;
    });
    decision.by_test = true;
    decision.losses = chosen.front().losses;
    decision.preference = chosen.front().choice.preference;
    decision.bar = chosen.front().choice.bar;
    for (ChosenRecord& one : chosen) {
      decision.candidates.push_back(std::move(one.candidate));
    }
    selection.decisions.push_back(std::move(decision));
  }
  selection.notes = left_out.sentences();
  return selection;
}

}  // namespace pair::select
