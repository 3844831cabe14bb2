#include <stdexcept>

#include "pair/device/batch_norm.h"

namespace pair::device {
namespace {

[[noreturn]] void no_batch_norm() {
  throw std::logic_error("this build has no CUDA kernels; check takes_batch_norm first");
}

}  // namespace

bool takes_batch_norm(const torch::Tensor& /*images*/) {
  return false;
}
// NOLINTBEGIN(performance-unnecessary-value-param): batch_norm_cuda.cpp changes the tensors
BatchNormed batch_norm_relu(const torch::Tensor& /*x*/, const BatchNorm& /*norm*/,
                            const torch::Tensor& /*residual*/, torch::Tensor /*running_mean*/,
                            torch::Tensor /*running_variance*/, double /*momentum*/) {
  no_batch_norm();
}
// NOLINTEND(performance-unnecessary-value-param)
BatchNormGradients batch_norm_relu_backward(const torch::Tensor& /*gradient*/, const torch::Tensor& /*x*/,
                                            const BatchNorm& /*norm*/, const torch::Tensor& /*statistics*/,
                                            const torch::Tensor& /*result*/) {
  no_batch_norm();
}

}  // namespace pair::device
