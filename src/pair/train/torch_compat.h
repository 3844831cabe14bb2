#pragma once

#include <torch/optim.h>
#include <torch/version.h>

// The places where LibTorch 1.13 and 2.x differ, all of them.

namespace pair::train::compat {

// The key under which an optimizer keeps a parameter's state: its address, as text before 2.1.
inline auto state_key(const torch::Tensor& parameter) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

}  // namespace pair::train::compat
