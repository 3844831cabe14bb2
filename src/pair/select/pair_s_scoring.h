#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pair/select/groups.h"
#include "pair/select/pair_s.h"

// Common parts of the forms of PAIR-s (pair_s.h, pair_s_leave_one_out.h, pair_within_run.h): the losses of
// records, the preference, and the records that count.

namespace pair::select {

// Whether a run is a candidate: it has one test environment, or test environments that are not split.
bool takes_part(const Run& run);

// The records in the order of steps. If a step was logged twice, as by a run that was restarted, the later
// record counts.
std::vector<std::size_t> records_by_step(const Run& run);

// Those at convergence, by skip and last of PairOptions.
std::vector<std::size_t> converged(const Run& run, const PairOptions& options);

// The losses of a run's records; none are read if the run lacks one of them.
class RunLosses {
 public:
  RunLosses(const Run& run, const std::vector<std::string>& keys, const PairOptions& options)
      : magnitudes_(keys.size() > 1 && !options.with_sign),
        bounded_(options.rule == Rule::release && keys.size() == 1 && keys.front() == "gen_loss") {
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
      losses.push_back(magnitudes_                                      ? std::abs(loss)
                       : bounded_ && std::abs(loss) >= largest_gen_loss ? 0.0
                                                                        : loss);
    }
    return losses;
  }

 private:
  // The release counts the generator's loss on top of 1e9, and one of this magnitude or more as 1e9 alone. The
  // 1e9, which has no effect but to round the sum, is left out.
  static constexpr double largest_gen_loss = 50.0;

  bool magnitudes_;
  bool bounded_;
  std::vector<const Column*> columns_;
};

// -L^T p-hat.
double score_of(const std::vector<double>& losses, const std::vector<double>& preference);

// Scaled to sum to 1. Divides by the largest first, so that the sum does not overflow.
std::vector<double> normalised(std::vector<double> preference);

struct Scoring {
  std::vector<std::string> losses;  // empty: its runs are left out
  std::vector<double> preference;
  std::string misfit = {};  // why the given preference does not fit
};

// The scoring for all runs of an algorithm on a dataset, by both names. Throws std::invalid_argument for a
// preference that fits none of several algorithms.
using Scorings = std::map<std::pair<std::string, std::string>, Scoring>;
Scorings scorings_of(const std::vector<Group>& groups, const PairOptions& options, LeftOut& left_out);

// The preference for one group: that of the scoring, or the release's, which differs between groups.
std::vector<double> preference_for(const Group& group, const Scoring& scoring, const PairOptions& options);

// The end of a title: empty, or the name of the rule.
std::string rule_in_title(const PairOptions& options);

// Throws std::invalid_argument for invalid options.
void check(const PairOptions& options);

}  // namespace pair::select
