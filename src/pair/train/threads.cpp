#include "pair/train/threads.h"

#include <ATen/Parallel.h>

#include <stdexcept>
#include <string>

// Present where LibTorch calls OpenBLAS (Debian), absent where it brings MKL.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace pair::train {

void use_threads(std::int64_t count) {
  if (count < 1 || count > 1024) {
    throw std::invalid_argument("threads is " + std::to_string(count) +
                                "; accepted: whole numbers from 1 to 1024");
  }
  at::set_num_threads(static_cast<int>(count));
  if (openblas_set_num_threads != nullptr) {
    openblas_set_num_threads(static_cast<int>(count));
  }
}

}  // namespace pair::train
