#include "pair/train/noise_floor.h"

#include <torch/utils.h>

#include <limits>
#include <optional>
#include <vector>

namespace pair::train {

torch::Tensor noise_floors(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                           const Moments& variances) {
  using Kind = device::MomentFunction::Kind;
  const torch::NoGradGuard no_graph;
  const torch::Tensor none =
      torch::full({}, std::numeric_limits<double>::quiet_NaN(), variances.risks.options());
  std::vector<torch::Tensor> floors;
  for (const auto& objective : objectives) {
    const std::optional<device::MomentFunction> function = objective->moment_function();
    const Kind kind = function ? function->kind : Kind::mean_risk;
    if (kind == Kind::risk_variance && variances.risks.numel() > 1) {
      floors.push_back(variances.risks.mean());
    } else if (kind == Kind::mean_squared_derivative || kind == Kind::mean_product_of_halves) {
      floors.push_back(variances.derivatives.mean());
    } else {
      floors.push_back(none);
    }
  }
  const torch::Tensor all = torch::stack(floors);
  return torch::where(all > 0.0, all, none);  // 0: not estimated
}

}  // namespace pair::train
