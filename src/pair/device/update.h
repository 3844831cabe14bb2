#pragma once

#include <torch/types.h>

#include <cstdint>

// The optimizer's guarded update on CUDA devices, in two passes over the parameters, without waiting for the
// device.

namespace pair::device {

// The step of train/update.h. All tensors except gradient, losses and lr are changed in place.
struct UpdateState {
  torch::Tensor parameters;
  torch::Tensor last_good;
  torch::Tensor first;
  torch::Tensor second;  // undefined for SGD
  torch::Tensor decays;  // undefined for SGD
  torch::Tensor tally;
  torch::Tensor workspace;  // [update_workspace] doubles, zeros before the first step
};
inline constexpr std::int64_t update_workspace = 259;

struct UpdateConstants {
  double momentum;  // SGD
  double beta1;     // Adam
  double beta2;     // Adam
  bool restart;     // SGD: whether the velocity is dropped if the gradient opposes it
  // Of train/guard.h.
  std::int64_t patience;
  double shrinkage;
};
void update(UpdateState& state, const torch::Tensor& gradient, const torch::Tensor& losses,
            const torch::Tensor& lr, const UpdateConstants& constants);

}  // namespace pair::device
