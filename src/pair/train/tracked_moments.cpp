#include "pair/train/tracked_moments.h"

#include <torch/utils.h>

#include <stdexcept>

namespace pair::train {
namespace {

torch::Tensor zeros_on(torch::Device device, std::int64_t size) {
  return torch::zeros({size}, torch::TensorOptions(torch::kDouble).device(device));
}

void move_towards(torch::Tensor& average, const torch::Tensor& value, const torch::Tensor& share) {
  average.add_(torch::nan_to_num(value - average, 0.0, 0.0, 0.0) * share);
}

}  // namespace

TrackedMoments::TrackedMoments(double window, std::int64_t environments, torch::Device device)
    : window_(window),
      steps_(zeros_on(device, 1)),
      risks_(zeros_on(device, environments)),
      derivatives_(zeros_on(device, environments)) {}

Moments TrackedMoments::updated(const Moments& batch) {
  const torch::NoGradGuard no_graph;
  steps_.add_(1.0);
  const torch::Tensor share = steps_.reciprocal().clamp_min(1.0 / window_);
  move_towards(risks_, batch.risks, share);
  Moments averages{risks_.clone(), {}};
  if (batch.derivatives.defined()) {
    move_towards(derivatives_, batch.derivatives, share);
    averages.derivatives = derivatives_.clone();
  }
  return averages;
}

void TrackedMoments::restore(const std::vector<torch::Tensor>& state) {
  if (state.size() != 3 || state[0].numel() != 1 || state[1].sizes() != risks_.sizes() ||
      state[2].sizes() != derivatives_.sizes()) {
    throw std::runtime_error("the checkpoint does not hold the tracked moments of " +
                             std::to_string(risks_.numel()) + " environments");
  }
  const torch::NoGradGuard no_graph;
  steps_.copy_(state[0]);
  risks_.copy_(state[1]);
  derivatives_.copy_(state[2]);
}

}  // namespace pair::train
