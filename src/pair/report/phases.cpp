#include "pair/report/phases.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

namespace pair::report {
namespace {

// The first record at or after `balance` from which the mean weight of ERM is below 1/2 in every window.
std::optional<std::size_t> generalization(std::span<const double> erm, std::size_t balance) {
  const std::size_t window = std::max<std::size_t>(5, (erm.size() - balance) / 20);
  if (erm.size() < balance + window) {
    return std::nullopt;
  }
  std::optional<std::size_t> begin;
  for (std::size_t last = erm.size(); last >= balance + window; --last) {
    const std::span<const double> seen = erm.subspan(last - window, window);
    if (!(std::accumulate(seen.begin(), seen.end(), 0.0) < 0.5 * static_cast<double>(window))) {
      break;
    }
    begin = last - window;
  }
  return begin;
}

}  // namespace

std::vector<Phase> phases_of(const select::Run& run) {
  const select::Column* const balancing = run.find("balancing");
  const select::Column* const erm = run.find("weights.erm");
  if (balancing == nullptr || run.records() == 0) {
    return {};
  }
  const auto first = std::find(balancing->values.begin(), balancing->values.end(), 1.0);
  if (first == balancing->values.end()) {
    return {};
  }
  const auto balance = static_cast<std::size_t>(first - balancing->values.begin());
  std::vector<Phase> phases;
  if (balance > 0) {
    phases.push_back({"Fitting", run.steps.front(), run.steps[balance]});
  }
  const std::optional<std::size_t> settled =
      erm == nullptr ? std::nullopt : generalization(erm->values, balance);
  if (!settled || *settled > balance) {
    phases.push_back({"Adaption", run.steps[balance], settled ? run.steps[*settled] : run.steps.back()});
  }
  if (settled) {
    phases.push_back({"Generalization", run.steps[*settled], run.steps.back()});
  }
  return phases;
}

}  // namespace pair::report
