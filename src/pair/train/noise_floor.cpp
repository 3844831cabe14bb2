#include "pair/train/noise_floor.h"

#include <torch/utils.h>

#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace pair::train {
namespace {

constexpr double no_floor = std::numeric_limits<double>::quiet_NaN();

// The estimates whose mean variance is an objective's floor.
enum class Estimates { none, risks, derivatives };

Estimates estimates_of(const objectives::Objective& objective, std::int64_t environments) {
  using Kind = device::MomentFunction::Kind;
  const std::optional<device::MomentFunction> function = objective.moment_function();
  const Kind kind = function ? function->kind : Kind::mean_risk;
  if (kind == Kind::risk_variance && environments > 1) {
    return Estimates::risks;
  }
  return kind == Kind::mean_squared_derivative || kind == Kind::mean_product_of_halves
             ? Estimates::derivatives
             : Estimates::none;
}

}  // namespace

torch::Tensor noise_floors(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                           const Moments& variances) {
  const torch::NoGradGuard no_graph;
  const torch::Tensor none = torch::full({}, no_floor, variances.risks.options());
  std::vector<torch::Tensor> floors;
  for (const auto& objective : objectives) {
    const Estimates estimates = estimates_of(*objective, variances.risks.numel());
    floors.push_back(estimates == Estimates::risks         ? variances.risks.mean()
                     : estimates == Estimates::derivatives ? variances.derivatives.mean()
                                                           : none);
  }
  const torch::Tensor all = torch::stack(floors);
  return torch::where(all > 0.0, all, none);  // 0: not estimated
}

std::vector<double> noise_floors(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                                 std::span<const double> risk_variances,
                                 std::span<const double> derivative_variances) {
  const auto environments = static_cast<std::int64_t>(risk_variances.size());
  std::vector<double> floors;
  for (const auto& objective : objectives) {
    const Estimates estimates = estimates_of(*objective, environments);
    const std::span<const double> variances =
        estimates == Estimates::risks ? risk_variances : derivative_variances;
    const double mean =
        std::accumulate(variances.begin(), variances.end(), 0.0) / static_cast<double>(environments);
    floors.push_back(estimates != Estimates::none && mean > 0.0 ? mean : no_floor);
  }
  return floors;
}

}  // namespace pair::train
