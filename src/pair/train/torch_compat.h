#pragma once

#include <torch/optim.h>
#include <torch/version.h>

// All differences between LibTorch 1.13 and 2.x.

namespace pair::train::compat {

// The key of a parameter's state in an optimizer: its address, as text before 2.1.
inline auto state_key(const torch::Tensor& parameter) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

}  // namespace pair::train::compat
