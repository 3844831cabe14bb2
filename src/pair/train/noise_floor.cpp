#include "pair/train/noise_floor.h"

#include <torch/utils.h>

#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace pair::train {
namespace {

constexpr double no_floor = std::numeric_limits<double>::quiet_NaN();

using FloorWeights = std::optional<objectives::Objective::NoiseFloor>;

double mean_variance(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

torch::Tensor noise_floors(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                           const Moments& variances) {
  const torch::NoGradGuard no_graph;
  const torch::Tensor none = torch::full({}, no_floor, variances.risks.options());
  std::vector<torch::Tensor> floors;
  for (const auto& objective : objectives) {
    const FloorWeights weights = objective->noise_floor(static_cast<std::size_t>(variances.risks.numel()));
    torch::Tensor floor = weights ? torch::zeros_like(none) : none;
    if (weights && weights->risks != 0.0) {
      floor = floor + weights->risks * variances.risks.mean();
    }
    if (weights && weights->derivatives != 0.0) {
      floor = floor + weights->derivatives * variances.derivatives.mean();
    }
    floors.push_back(floor);
  }
  const torch::Tensor all = torch::stack(floors);
  return torch::where(all > 0.0, all, none);  // 0: not estimated
}

std::vector<double> noise_floors(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                                 std::span<const double> risk_variances,
                                 std::span<const double> derivative_variances) {
  std::vector<double> floors;
  for (const auto& objective : objectives) {
    const FloorWeights weights = objective->noise_floor(risk_variances.size());
    double floor = 0.0;
    if (weights && weights->risks != 0.0) {
      floor += weights->risks * mean_variance(risk_variances);
    }
    if (weights && weights->derivatives != 0.0) {
      floor += weights->derivatives * mean_variance(derivative_variances);
    }
    floors.push_back(floor > 0.0 ? floor : no_floor);
  }
  return floors;
}

}  // namespace pair::train
