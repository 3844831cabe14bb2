#pragma once

#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <span>

namespace pair::train {

// Called with the outputs [n, k] and labels [n] of some samples of an environment, on the model's device, and
// what data::Environment::samples says of them (empty if it does not).
using SeenOutputs = std::function<void(std::size_t environment, const torch::Tensor& outputs,
                                       const torch::Tensor& labels, std::span<const std::size_t> samples)>;

}  // namespace pair::train
