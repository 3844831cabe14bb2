#include <stdexcept>

#include "pair/device/convolution.h"
#include "pair/device/group_norm.h"
#include "pair/device/half.h"
#include "pair/device/kernels.h"
#include "pair/device/moments.h"
#include "pair/device/perceptron.h"
#include "pair/device/update.h"

// A build without CUDA: has_kernels and the takes_ functions are false, and the others throw.

namespace pair::device {
namespace {

[[noreturn]] void absent() {
  throw std::logic_error("this build has no CUDA kernels; check has_kernels first");
}

}  // namespace

bool has_kernels(const torch::Tensor& /*numbers*/) {
  return false;
}
bool takes_group_norm(std::int64_t /*channels*/, std::int64_t /*groups*/) {
  return false;
}

void update(UpdateState& /*state*/, const torch::Tensor& /*gradient*/, const torch::Tensor& /*losses*/,
            const torch::Tensor& /*lr*/, const UpdateConstants& /*constants*/) {
  absent();
}
ReluGradient relu_backward(const torch::Tensor& /*gradient*/, const torch::Tensor& /*output*/) {
  absent();
}
torch::Tensor outer(const torch::Tensor& /*column*/, const torch::Tensor& /*row*/) {
  absent();
}
Normed relu_group_norm(const torch::Tensor& /*x*/, const torch::Tensor& /*bias*/, std::int64_t /*groups*/,
                       const torch::Tensor& /*gamma*/, const torch::Tensor& /*beta*/, double /*epsilon*/,
                       bool /*pooled*/) {
  absent();
}
NormGradients relu_group_norm_backward(const torch::Tensor& /*gradient*/, const torch::Tensor& /*x*/,
                                       const torch::Tensor& /*bias*/, std::int64_t /*groups*/,
                                       const torch::Tensor& /*gamma*/, const torch::Tensor& /*statistics*/,
                                       bool /*pooled*/) {
  absent();
}
torch::Tensor windows(const torch::Tensor& /*images*/, std::int64_t /*side*/, std::int64_t /*stride*/,
                      std::int64_t /*padding*/, std::int64_t /*columns*/) {
  absent();
}
FirstLayer first_layer(const torch::Tensor& /*images*/, const torch::Tensor& /*weight*/,
                       const torch::Tensor& /*bias*/, const torch::Tensor& /*gamma*/,
                       const torch::Tensor& /*beta*/, double /*epsilon*/, bool /*for_the_way_back*/) {
  absent();
}
bool takes_first_layer(const torch::Tensor& /*images*/, const torch::Tensor& /*weight*/,
                       std::int64_t /*stride*/, std::int64_t /*padding*/, std::int64_t /*groups*/) {
  return false;
}
torch::Tensor moments(Loss /*loss*/, const torch::Tensor& /*logits*/, const torch::Tensor& /*labels*/,
                      std::int64_t /*environments*/) {
  absent();
}
torch::Tensor moment_slopes(Loss /*loss*/, const torch::Tensor& /*logits*/, const torch::Tensor& /*labels*/,
                            const torch::Tensor& /*by_risks*/, const torch::Tensor& /*by_derivatives*/) {
  absent();
}
Scaled scale_for_half(const torch::Tensor& /*numbers*/) {
  absent();
}
torch::Tensor gathered(std::span<const Part> /*parts*/, torch::ScalarType /*type*/,
                       const torch::Tensor& /*factor*/) {
  absent();
}
torch::Tensor rows_in_half(const torch::Tensor& /*numbers*/, const torch::Tensor& /*rows*/) {
  absent();
}

}  // namespace pair::device
