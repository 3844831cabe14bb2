#pragma once

#include <torch/optim.h>
#include <torch/version.h>

#include <cmath>

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

// softmax(q k^T / sqrt(d) + bias) v with q [n, heads, t, d], k and v [n, heads, s, d] and a bias that
// broadcasts to [n, heads, t, s]. From 2.1 on in one kernel where the device has it, which never stores the
// softmax.
inline torch::Tensor attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                               const torch::Tensor& bias) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  return at::scaled_dot_product_attention(q, k, v, bias.expand({-1, -1, q.size(2), -1}));
#else
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  return torch::softmax(torch::matmul(q * scale, k.transpose(2, 3)) + bias, -1).matmul(v);
#endif
}

}  // namespace pair::models::compat
