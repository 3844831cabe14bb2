#pragma once

#include <torch/nn.h>

namespace pair::models {

// Puts every BatchNorm of a network into evaluation mode: it normalises by its running statistics and does
// not update them. Scale and shift are still trained, as in DomainBed.
inline void freeze_batch_norm(torch::nn::Module& network) {
  for (const auto& module : network.modules(/*include_self=*/false)) {
    if (module->as<torch::nn::BatchNorm2dImpl>() != nullptr) {
      module->eval();
    }
  }
}

}  // namespace pair::models
