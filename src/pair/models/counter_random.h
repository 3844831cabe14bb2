#pragma once

#include <torch/types.h>

#include <cstdint>

// base/splitmix64.h for tensors of counters.
//
// Without state and without a shared generator: the same counter gives the same word on the host and on every
// device, so draws do not depend on what else the process draws, and a resumed run continues with the same
// ones.

namespace pair::models {

// splitmix64::word of each counter; int64 tensors of any shape on any device.
torch::Tensor random_words(const torch::Tensor& counters);

// The upper 31 bits of each word, int64 in [0, 2^31). Times a number below 2^32 they stay below 2^63.
torch::Tensor upper_31_bits(const torch::Tensor& words);

}  // namespace pair::models
