#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "pair/data/wilds.h"

// The parts of WILDS' metrics. A group without samples has the value 0 and does not count for the worst
// group.

namespace pair::data {

// One number per sample: 1 if the prediction is the label and 0 if not.
std::vector<double> right_answers(const WildsSet& set, std::span<const std::size_t> samples,
                                  std::span<const double> predictions);
// One number per sample: (prediction - label)^2.
std::vector<double> squared_errors(const WildsSet& set, std::span<const std::size_t> samples,
                                   std::span<const double> predictions);

// 0 for no numbers.
double mean_of(std::span<const double> values);

// Pearson's r of predictions and labels; NaN if one of them is constant, or for fewer than two samples.
double pearson_r(const WildsSet& set, std::span<const std::size_t> samples,
                 std::span<const double> predictions);

// Means over the labels that occur among the samples, as scikit-learn's with labels=unique(y_true): a label
// that is only predicted does not count.
double macro_recall(const WildsSet& set, std::span<const std::size_t> samples,
                    std::span<const double> predictions);
double macro_f1(const WildsSet& set, std::span<const std::size_t> samples,
                std::span<const double> predictions);

struct GroupMeans {
  std::vector<double> means;
  std::vector<std::size_t> counts;
};
GroupMeans means_by_group(const WildsGrouper& grouper, std::span<const std::size_t> samples,
                          std::span<const double> values);
// The smallest mean of the groups that have samples; 0 without any.
double smallest_mean(const GroupMeans& groups);

// Appends NAME_GROUP and count_GROUP for each group.
void append_groups(WildsScores& scores, std::string_view name, const WildsGrouper& grouper,
                   const GroupMeans& groups);

// WILDS' standard_group_eval of the accuracy: acc_avg, acc_GROUP, count_GROUP, ..., acc_wg.
WildsScores accuracy_scores(const WildsSet& set, std::string_view field, std::span<const std::size_t> samples,
                            std::span<const double> predictions);

}  // namespace pair::data
