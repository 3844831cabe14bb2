#include "pair/data/wilds_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

namespace pair::data {
namespace {

struct LabelCounts {
  std::size_t labelled = 0;
  std::size_t predicted = 0;
  std::size_t right = 0;
};

// One entry per label that occurs among the samples.
std::map<double, LabelCounts> counts_by_label(const WildsSet& set, std::span<const std::size_t> samples,
                                              std::span<const double> predictions) {
  const std::size_t y = set.field("y");
  std::map<double, LabelCounts> counts;
  for (const std::size_t sample : samples) {
    ++counts[set.value(sample, y)].labelled;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (const auto found = counts.find(predictions[i]); found != counts.end()) {
      ++found->second.predicted;
      found->second.right += predictions[i] == set.value(samples[i], y) ? 1 : 0;
    }
  }
  return counts;
}

}  // namespace

std::vector<double> right_answers(const WildsSet& set, std::span<const std::size_t> samples,
                                  std::span<const double> predictions) {
  const std::size_t y = set.field("y");
  std::vector<double> right;
  right.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    right.push_back(predictions[i] == set.value(samples[i], y) ? 1.0 : 0.0);
  }
  return right;
}

std::vector<double> squared_errors(const WildsSet& set, std::span<const std::size_t> samples,
                                   std::span<const double> predictions) {
  const std::size_t y = set.field("y");
  std::vector<double> errors;
  errors.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double error = predictions[i] - set.value(samples[i], y);
    errors.push_back(error * error);
  }
  return errors;
}

double mean_of(std::span<const double> values) {
  return values.empty()
             ? 0.0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double pearson_r(const WildsSet& set, std::span<const std::size_t> samples,
                 std::span<const double> predictions) {
  if (samples.size() < 2) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::size_t y = set.field("y");
  std::vector<double> labels;
  labels.reserve(samples.size());
  for (const std::size_t sample : samples) {
    labels.push_back(set.value(sample, y));
  }
  const double label_mean = mean_of(labels);
  const double prediction_mean = mean_of(predictions);
  double both = 0.0;
  double label_square = 0.0;
  double prediction_square = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double a = labels[i] - label_mean;
    const double b = predictions[i] - prediction_mean;
    both += a * b;
    label_square += a * a;
    prediction_square += b * b;
  }
  if (label_square == 0.0 || prediction_square == 0.0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::clamp(both / (std::sqrt(label_square) * std::sqrt(prediction_square)), -1.0, 1.0);
}

double macro_recall(const WildsSet& set, std::span<const std::size_t> samples,
                    std::span<const double> predictions) {
  std::vector<double> recalls;
  for (const auto& [label, count] : counts_by_label(set, samples, predictions)) {
    recalls.push_back(static_cast<double>(count.right) / static_cast<double>(count.labelled));
  }
  return mean_of(recalls);
}

double macro_f1(const WildsSet& set, std::span<const std::size_t> samples,
                std::span<const double> predictions) {
  std::vector<double> scores;
  for (const auto& [label, count] : counts_by_label(set, samples, predictions)) {
    scores.push_back(2.0 * static_cast<double>(count.right) /
                     static_cast<double>(count.labelled + count.predicted));
  }
  return mean_of(scores);
}

GroupMeans means_by_group(const WildsGrouper& grouper, std::span<const std::size_t> samples,
                          std::span<const double> values) {
  GroupMeans groups{std::vector<double>(grouper.count(), 0.0), std::vector<std::size_t>(grouper.count(), 0)};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t group = grouper.of(samples[i]);
    groups.means[group] += values[i];
    ++groups.counts[group];
  }
  for (std::size_t g = 0; g < groups.means.size(); ++g) {
    groups.means[g] /= static_cast<double>(std::max<std::size_t>(groups.counts[g], 1));
  }
  return groups;
}

double smallest_mean(const GroupMeans& groups) {
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < groups.means.size(); ++g) {
    worst = groups.counts[g] > 0 ? std::min(worst, groups.means[g]) : worst;
  }
  return std::isinf(worst) ? 0.0 : worst;
}

void append_groups(WildsScores& scores, std::string_view name, const WildsGrouper& grouper,
                   const GroupMeans& groups) {
  for (std::size_t g = 0; g < grouper.count(); ++g) {
    const std::string group = grouper.name(g);
    scores.emplace_back(std::string(name) + "_" + group, groups.means[g]);
    scores.emplace_back("count_" + group, static_cast<double>(groups.counts[g]));
  }
}

WildsScores accuracy_scores(const WildsSet& set, std::string_view field, std::span<const std::size_t> samples,
                            std::span<const double> predictions) {
  const std::vector<double> right = right_answers(set, samples, predictions);
  const WildsGrouper grouper(set, std::array{field});
  const GroupMeans groups = means_by_group(grouper, samples, right);
  WildsScores scores{{"acc_avg", mean_of(right)}};
  append_groups(scores, "acc", grouper, groups);
  scores.emplace_back("acc_wg", smallest_mean(groups));
  return scores;
}

}  // namespace pair::data
