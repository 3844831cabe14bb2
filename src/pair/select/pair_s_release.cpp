#include "pair/select/pair_s_release.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pair/base/algorithm_names.h"
#include "pair/select/means.h"
#include "pair/select/pair_s_scoring.h"

namespace pair::select {
namespace {

constexpr double below_bar = 1e8;  // factor of the scores of runs below the bar

bool names(std::string_view algorithm, std::string_view part) {
  return base::plain_name(algorithm).find(part) != std::string::npos;
}

// 10^k of the first loss.
double first_number(const std::vector<const Run*>& runs, const std::vector<std::string>& losses,
                    const PairOptions& options) {
  constexpr double least = 1e-12;  // for losses of 0, where the release fails
  if (options.validation == Validation::leave_one_out) {
    return 1e-6;
  }
  std::vector<double> smallest;
  for (const Run* run : runs) {
    const RunLosses read(*run, losses, options);
    double of_run = std::numeric_limits<double>::infinity();
    for (const std::size_t record : read.complete() ? records_by_step(*run) : std::vector<std::size_t>()) {
      const std::vector<double> at = read.at(record);
      of_run = at.empty() ? of_run : std::min(of_run, std::abs(at.back()));
    }
    if (std::isfinite(of_run)) {
      smallest.push_back(of_run);
    }
  }
  const double magnitude =
      smallest.empty() ? -std::numeric_limits<double>::infinity() : std::log10(mean(smallest)) - 2.0;
  return std::isfinite(magnitude) ? std::pow(10.0, std::trunc(magnitude)) : least;
}

}  // namespace

std::vector<double> preference_of_the_release(const std::vector<const Run*>& runs,
                                              const std::vector<std::string>& losses,
                                              const PairOptions& options) {
  std::vector<double> preference(losses.size(), 1.0);
  for (std::size_t i = 1; i < losses.size(); ++i) {
    preference[i] = std::pow(10.0, -2.0 * static_cast<double>(losses.size() - 1 - i));
  }
  if (losses.size() > 1) {
    preference.front() = first_number(runs, losses, options);
  }
  return preference;
}

double score_bar_of_the_release(const Run& run, const Decision& decision, const PairOptions& options) {
  const RunLosses losses(run, decision.losses, options);
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  for (const std::size_t record : records_by_step(run)) {
    if (const std::vector<double> at = losses.at(record); !at.empty()) {
      const double score = score_of(at, decision.preference);
      least = std::min(least, score);
      most = std::max(most, score);
    }
  }
  // Rounding must not raise the bar above the best record.
  return std::min((most - least) * 0.9 + least, most);
}

double merit_of_the_release(const Candidate& candidate, double score_bar) {
  return candidate.score < score_bar ? -candidate.validation : candidate.validation;
}

bool goes_by_validation_in_the_release(std::string_view algorithm) {
  return names(algorithm, "dann") || names(algorithm, "groupdro");
}

void rank_as_the_release(Decision& decision) {
  const auto key = [&decision](const Candidate& candidate) {
    return decision.by_validation ? candidate.validation
                                  : candidate.score * (candidate.above_bar ? 1.0 : below_bar);
  };
  std::stable_sort(decision.candidates.begin(), decision.candidates.end(),
                   [key](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  std::reverse(decision.candidates.begin(), decision.candidates.end());
}

}  // namespace pair::select
