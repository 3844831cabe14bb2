#include "pair/runs/tally.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "pair/data/shown_sample.h"

namespace pair::runs {

Tally::Tally(std::vector<Environment> environments, std::vector<std::string> classes)
    : environments_(std::move(environments)), classes_(std::move(classes)), sums_(environments_.size()) {}

void Tally::consider(std::vector<Candidate>& list, const Candidate& candidate) {
  const auto place = std::ranges::upper_bound(list, candidate.rank, std::ranges::greater{}, &Candidate::rank);
  if (place == list.end() && list.size() == most_wrong_per_environment) {
    return;
  }
  list.insert(place, candidate);
  list.resize(std::min(list.size(), most_wrong_per_environment));
}

void Tally::add_answer(std::size_t environment, std::size_t truth, std::size_t answer, double probability,
                       std::size_t sample) {
  Sums& sums = sums_[environment];
  ++sums.samples;
  ++sums.counts[{truth, answer}];
  sums.confidence += probability;
  const double share = std::isfinite(probability) ? std::clamp(probability, 0.0, 1.0) : 0.0;
  Sums::Bin& bin =
      sums.bins[std::min(sums.bins.size() - 1, static_cast<std::size_t>(share * 10.0))];  // [0, 0.1), ...
  ++bin.samples;
  bin.right += truth == answer ? 1 : 0;
  bin.confidence += share;
  if (truth != answer) {
    consider(sums.wrong,
             {.sample = sample, .truth = truth, .answer = answer, .probability = probability, .rank = share});
  }
}

void Tally::add_value(std::size_t environment, double label, double value, std::size_t sample) {
  Sums& sums = sums_[environment];
  ++sums.samples;
  const double residual = value - label;
  sums.residuals += residual;
  sums.sizes += std::abs(residual);
  sums.squares += residual * residual;
  const auto count = static_cast<double>(sums.samples);
  const double label_before = label - sums.mean_label;
  const double value_before = value - sums.mean_value;
  sums.mean_label += label_before / count;
  sums.mean_value += value_before / count;
  sums.label_squares += label_before * (label - sums.mean_label);
  sums.value_squares += value_before * (value - sums.mean_value);
  sums.products += label_before * (value - sums.mean_value);
  if (residual != 0.0) {
    consider(sums.wrong, {.sample = sample,
                          .label = label,
                          .value = value,
                          .rank = std::isfinite(residual) ? std::abs(residual) : HUGE_VAL});
  }
}

Evaluation::Environment Tally::summary(std::size_t environment) const {
  const Sums& sums = sums_[environment];
  const auto count = static_cast<double>(sums.samples);
  Evaluation::Environment summary{.name = environments_[environment].name,
                                  .key = environments_[environment].key,
                                  .test = environments_[environment].test,
                                  .samples = sums.samples};
  if (classes_.empty()) {
    summary.rmse = std::sqrt(sums.squares / count);
    summary.mae = sums.sizes / count;
    summary.bias = sums.residuals / count;
    const double size = std::sqrt(sums.label_squares * sums.value_squares);
    summary.correlation = size > 0.0 ? sums.products / size : Evaluation::unknown;
    return summary;
  }
  std::int64_t right = 0;
  std::vector<Evaluation::Confused> confused;
  for (const auto& [pair, samples] : sums.counts) {
    if (pair.first == pair.second) {
      right += samples;
    } else {
      confused.push_back({pair.first, pair.second, samples});
    }
  }
  std::ranges::stable_sort(confused, std::ranges::greater{}, &Evaluation::Confused::count);
  confused.resize(std::min(confused.size(), most_confused));
  summary.confused = std::move(confused);
  summary.accuracy = static_cast<double>(right) / count;
  summary.confidence = sums.confidence / count;
  summary.calibration_error = 0.0;
  for (const Sums::Bin& bin : sums.bins) {
    summary.calibration_error += std::abs(static_cast<double>(bin.right) - bin.confidence) / count;
  }
  return summary;
}

std::vector<std::size_t> Tally::worst_first(const Evaluation& evaluation) const {
  std::vector<std::size_t> order(environments_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const auto badness = [&](std::size_t e) {
      const Evaluation::Environment& environment = evaluation.environments[e];
      const double value = evaluation.regression ? environment.rmse : -environment.accuracy;
      return std::isnan(value) ? HUGE_VAL : value;
    };
    return badness(a) > badness(b);
  });
  return order;
}

// Uses the model's labels as indices; name_classes replaces them.
void Tally::add_confusions(Evaluation& evaluation, const std::vector<std::size_t>& order) const {
  for (std::size_t i = 0; i < std::min(order.size(), most_confusions); ++i) {
    const Sums& sums = sums_[order[i]];
    Evaluation::Confusion confusion;
    if (classes_.size() <= most_classes) {
      confusion.classes.resize(classes_.size());
      std::iota(confusion.classes.begin(), confusion.classes.end(), 0U);
    } else {
      std::map<std::size_t, std::int64_t> missed;
      for (const auto& [pair, samples] : sums.counts) {
        missed[pair.first] += pair.first == pair.second ? 0 : samples;
      }
      std::vector<std::pair<std::size_t, std::int64_t>> worst(missed.begin(), missed.end());
      std::ranges::stable_sort(worst, [](const auto& a, const auto& b) { return a.second > b.second; });
      worst.resize(std::min(worst.size(), most_shown_classes));
      for (const auto& [label, samples] : worst) {
        confusion.classes.push_back(label);
      }
      std::ranges::sort(confusion.classes);
      confusion.others = true;
    }
    const std::size_t width = confusion.classes.size() + (confusion.others ? 1 : 0);
    confusion.counts.assign(confusion.classes.size(), std::vector<std::int64_t>(width, 0));
    for (const auto& [pair, samples] : sums.counts) {
      const auto truth = std::ranges::lower_bound(confusion.classes, pair.first);
      if (truth == confusion.classes.end() || *truth != pair.first) {
        continue;
      }
      const auto answer = std::ranges::lower_bound(confusion.classes, pair.second);
      const bool other = answer == confusion.classes.end() || *answer != pair.second;
      const auto column =
          other ? confusion.classes.size() : static_cast<std::size_t>(answer - confusion.classes.begin());
      confusion.counts[static_cast<std::size_t>(truth - confusion.classes.begin())][column] += samples;
    }
    evaluation.environments[order[i]].confusion = std::move(confusion);
  }
}

void Tally::add_wrong(Result& result, const std::vector<std::size_t>& order) const {
  // The worst of all, then those of the worst environments.
  std::vector<std::tuple<double, std::size_t, std::size_t>> all;  // -rank, environment, place
  for (std::size_t e = 0; e < sums_.size(); ++e) {
    for (std::size_t i = 0; i < sums_[e].wrong.size(); ++i) {
      all.emplace_back(-sums_[e].wrong[i].rank, e, i);
    }
  }
  std::ranges::sort(all);
  std::set<std::pair<std::size_t, std::size_t>> kept;
  for (std::size_t i = 0; i < std::min(all.size(), most_wrong_per_environment); ++i) {
    kept.emplace(std::get<1>(all[i]), std::get<2>(all[i]));
  }
  for (const std::size_t e : order) {
    for (std::size_t i = 0; i < sums_[e].wrong.size() && kept.size() < most_wrong; ++i) {
      kept.emplace(e, i);
    }
  }
  for (const auto& [e, i] : kept) {
    const Candidate& wrong = sums_[e].wrong[i];
    Evaluation::Wrong& added = result.evaluation.wrong.emplace_back();
    added.environment = e;
    if (classes_.empty()) {
      added.label = wrong.label;
      added.value = wrong.value;
    } else {
      added.truth = wrong.truth;
      added.answer = wrong.answer;
      added.probability = wrong.probability;
    }
    result.samples.push_back(wrong.sample);
  }
}

// Only the names that are used, so that a thousand classes do not fill the file; all if there are few.
void Tally::name_classes(Evaluation& evaluation) const {
  constexpr std::size_t longest_name = 100;
  std::set<std::size_t> used;
  const auto visit = [&](const auto& change) {
    for (Evaluation::Environment& environment : evaluation.environments) {
      if (environment.confusion) {
        std::ranges::for_each(environment.confusion->classes, change);
      }
      for (Evaluation::Confused& pair : environment.confused) {
        change(pair.truth);
        change(pair.answer);
      }
    }
    for (Evaluation::Wrong& wrong : evaluation.wrong) {
      change(wrong.truth);
      change(wrong.answer);
    }
  };
  if (classes_.size() <= most_classes) {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      used.insert(i);
    }
  } else {
    visit([&](std::size_t& label) { used.insert(label); });
  }
  std::map<std::size_t, std::size_t> place;
  for (const std::size_t label : used) {
    place.emplace(label, place.size());
    evaluation.classes.push_back(data::cut_text(classes_.at(label), longest_name));
  }
  visit([&](std::size_t& label) { label = place.at(label); });
}

Tally::Result Tally::result() const {
  Result result;
  Evaluation& evaluation = result.evaluation;
  evaluation.regression = classes_.empty();
  evaluation.classes_in_all = static_cast<std::int64_t>(classes_.size());
  for (std::size_t e = 0; e < environments_.size(); ++e) {
    evaluation.environments.push_back(summary(e));
  }
  const std::vector<std::size_t> order = worst_first(evaluation);
  evaluation.worst = order.front();
  add_wrong(result, order);
  if (!evaluation.regression) {
    add_confusions(evaluation, order);
    name_classes(evaluation);
  }
  return result;
}

}  // namespace pair::runs
