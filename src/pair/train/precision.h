#pragma once

namespace pair::train {

// The rounding of matrix products and convolutions on CUDA devices, for all runs of the process: TF32 (ten
// bits of each factor's fraction, products summed in fp32) or fp32. Either way, the same input gives the same
// output, bit for bit: algorithms of cuDNN with a nondeterministic order of additions are not used. Products
// of 16-bit numbers are summed in fp32.
void use_tf32(bool tf32);

}  // namespace pair::train
