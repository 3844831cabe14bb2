#pragma once

namespace pair::train {

// How matrix products and convolutions on CUDA devices round, for all runs of the process: in TF32 (ten bits
// of each factor's fraction, products summed in fp32) or in fp32. Either way the same input gives the same
// output, bit for bit: algorithms of cuDNN that add in an order of their own are not used. Products of 16-bit
// numbers are summed in fp32.
void use_tf32(bool tf32);

}  // namespace pair::train
