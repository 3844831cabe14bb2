#pragma once

namespace pair::train {

// How matrix products and convolutions on CUDA devices round, for all runs of the process: in TF32 (ten bits
// of each factor's fraction, products summed in fp32) or in fp32. Either way the same input gives the same
// output, bit for bit: algorithms that add in an order of their own are not used.
void use_tf32(bool tf32);

}  // namespace pair::train
