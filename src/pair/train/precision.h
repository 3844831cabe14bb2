#pragma once

#include <torch/types.h>

#include "pair/models/model.h"
#include "pair/train/settings.h"

namespace pair::train {

// The rounding of matrix products and convolutions on CUDA devices, for all runs of the process: TF32 (ten
// bits of each factor's fraction, products summed in fp32) or fp32. Either way, the same input gives the same
// output, bit for bit: algorithms of cuDNN with a nondeterministic order of additions are not used. Products
// of 16-bit numbers are summed in fp32.
void use_tf32(bool tf32);

// While it lives and if it is `on`, this thread's torch operations on the device run under PyTorch's autocast
// with bfloat16: convolutions and matrix products convert their factors to bfloat16, and operations that need
// more digits work in fp32. Parameters keep their type; a converted copy is made for each use, as part of the
// graph, so that gradients arrive in fp32. For the forward pass only: the backward pass follows its types.
class Bf16Scope {
 public:
  Bf16Scope(torch::Device device, bool on);
  ~Bf16Scope();
  Bf16Scope(const Bf16Scope&) = delete;
  Bf16Scope& operator=(const Bf16Scope&) = delete;

 private:
  torch::Device device_;
  bool on_;
  bool was_enabled_ = false;
  bool cached_ = false;
  torch::ScalarType type_before_ = torch::kBFloat16;
};

// Whether the model's featurizer works in bfloat16: the precision is bf16 and the model allows it.
bool works_in_bf16(const models::Model& model, Precision precision);

// The features of the inputs, in the precision; those of a featurizer in bfloat16 are returned in fp32. On
// CUDA devices and below fp32, images get the memory order in which convolutions are fast, channels last.
torch::Tensor features_in(Precision precision, models::Model& model, const torch::Tensor& inputs);

}  // namespace pair::train
