#include "pair/train/precision.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include "pair/models/torch_compat.h"

namespace pair::train {

void use_tf32(bool tf32) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32);
  context.setAllowFP16ReductionCuBLAS(false);
  context.setDeterministicCuDNN(true);
}

// Without autocast's cache of converted parameters, which would outlive a step and be read by its recording:
// each parameter is used once per forward pass.
Bf16Scope::Bf16Scope(torch::Device device, bool on) : device_(device), on_(on) {
  if (on_) {
    was_enabled_ = models::compat::autocast_enabled(device_.type());
    type_before_ = models::compat::autocast_type(device_.type());
    cached_ = at::autocast::is_autocast_cache_enabled();
    models::compat::set_autocast(device_.type(), true, torch::kBFloat16);
    at::autocast::set_autocast_cache_enabled(false);
  }
}

Bf16Scope::~Bf16Scope() {
  if (on_) {
    models::compat::set_autocast(device_.type(), was_enabled_, type_before_);
    at::autocast::set_autocast_cache_enabled(cached_);
  }
}

bool works_in_bf16(const models::Model& model, Precision precision) {
  return precision == Precision::bf16 && model.takes_autocast();
}

torch::Tensor features_in(Precision precision, models::Model& model, const torch::Tensor& inputs) {
  const bool images = inputs.is_cuda() && inputs.dim() == 4;
  const torch::Tensor laid_out = images && precision != Precision::fp32 && model.takes_autocast()
                                     ? inputs.contiguous(at::MemoryFormat::ChannelsLast)
                                     : inputs;
  if (!works_in_bf16(model, precision)) {
    return model.features(laid_out);
  }
  const Bf16Scope scope(inputs.device(), /*on=*/true);
  return model.features(laid_out).to(torch::kFloat);
}

}  // namespace pair::train
