#include <stdexcept>

#include "pair/device/dropout.h"

namespace pair::device {
namespace {

[[noreturn]] void no_kernel() {
  throw std::logic_error("this build has no CUDA kernels; check takes_dropout first");
}

}  // namespace

bool takes_dropout(const torch::Tensor& /*numbers*/) {
  return false;
}
bool takes_attention_weights(const torch::Tensor& /*scores*/) {
  return false;
}
torch::Tensor dropped(const torch::Tensor& /*numbers*/, const DropoutMask& /*mask*/) {
  no_kernel();
}
AttentionWeights attention_weights(const torch::Tensor& /*scores*/, const torch::Tensor& /*bias*/,
                                   const DropoutMask& /*mask*/) {
  no_kernel();
}
torch::Tensor attention_weights_backward(const torch::Tensor& /*gradient*/, const torch::Tensor& /*weights*/,
                                         const DropoutMask& /*mask*/) {
  no_kernel();
}

}  // namespace pair::device
