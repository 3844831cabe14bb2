#include <c10/cuda/CUDAException.h>

#include "pair/device/stream.h"
#include "pair/device/update.cuh"
#include "pair/device/update.h"

namespace pair::device {

void update(UpdateState& state, const torch::Tensor& gradient, const torch::Tensor& losses,
            const torch::Tensor& lr, const UpdateConstants& constants) {
  static_assert(update_workspace == cuda::update_workspace);
  const torch::Tensor flat = gradient.contiguous();
  cuda::Update launch{};
  launch.parameters = state.parameters.data_ptr<float>();
  launch.last_good = state.last_good.data_ptr<float>();
  launch.first = state.first.data_ptr<float>();
  launch.second = state.second.defined() ? state.second.data_ptr<float>() : nullptr;
  launch.gradient = flat.data_ptr<float>();
  launch.count = flat.numel();
  launch.losses = losses.data_ptr<double>();
  launch.loss_count = static_cast<int>(losses.numel());
  launch.lr = lr.data_ptr<double>();
  launch.tally = state.tally.data_ptr<double>();
  launch.decays = state.decays.defined() ? state.decays.data_ptr<double>() : nullptr;
  launch.workspace = state.workspace.data_ptr<double>();
  launch.beta1 = constants.beta1;
  launch.beta2 = constants.beta2;
  launch.momentum = static_cast<float>(constants.momentum);
  launch.restart = constants.restart;
  launch.patience = static_cast<double>(constants.patience);
  launch.shrinkage = constants.shrinkage;
  cuda::update(launch, stream_of(flat));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace pair::device
