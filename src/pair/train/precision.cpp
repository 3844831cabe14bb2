#include "pair/train/precision.h"

#include <ATen/Context.h>

namespace pair::train {

void use_tf32(bool tf32) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32);
  context.setAllowFP16ReductionCuBLAS(false);
  context.setDeterministicCuDNN(true);
}

}  // namespace pair::train
