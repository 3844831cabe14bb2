#pragma once

#include <ATen/autocast_mode.h>
#include <torch/optim.h>
#include <torch/version.h>

// All differences between LibTorch 1.13 and 2.x.

namespace pair::models::compat {

// The key of a parameter's state in an optimizer: its address, as text before 2.1.
inline auto state_key(const torch::Tensor& parameter) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

// softmax(q k^T + bias) v with q [n, heads, t, d], k and v [n, heads, s, d] and a bias that
// broadcasts to [n, heads, t, s]. From 2.1 on in one kernel where the device has it, which never stores the
// softmax.
inline torch::Tensor attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                               const torch::Tensor& bias) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  return at::scaled_dot_product_attention(q, k, v, bias.expand({-1, -1, q.size(2), -1}), /*dropout_p=*/0.0,
                                          /*is_causal=*/false, /*scale=*/1.0);
#else
  return torch::softmax(torch::matmul(q, k.transpose(2, 3)) + bias, -1).matmul(v);
#endif
}

// Autocast of one kind of device, and the type that it converts to.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
inline bool autocast_enabled(torch::DeviceType device) {
  return at::autocast::is_autocast_enabled(device);
}
inline torch::ScalarType autocast_type(torch::DeviceType device) {
  return at::autocast::get_autocast_dtype(device);
}
inline void set_autocast(torch::DeviceType device, bool enabled, torch::ScalarType type) {
  at::autocast::set_autocast_enabled(device, enabled);
  at::autocast::set_autocast_dtype(device, type);
}
#else
inline bool autocast_enabled(torch::DeviceType device) {
  return device == torch::kCPU ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
}
inline torch::ScalarType autocast_type(torch::DeviceType device) {
  return device == torch::kCPU ? at::autocast::get_autocast_cpu_dtype()
                               : at::autocast::get_autocast_gpu_dtype();
}
inline void set_autocast(torch::DeviceType device, bool enabled, torch::ScalarType type) {
  if (device == torch::kCPU) {
    at::autocast::set_cpu_enabled(enabled);
    at::autocast::set_autocast_cpu_dtype(type);
  } else {
    at::autocast::set_enabled(enabled);
    at::autocast::set_autocast_gpu_dtype(type);
  }
}
#endif

}  // namespace pair::models::compat
