#include "pair/train/threads.h"

#include <ATen/Parallel.h>

#include <stdexcept>
#include <string>

// Present if LibTorch uses OpenBLAS (Debian), absent if it includes MKL.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace pair::train {

void use_threads(std::int64_t count) {
  if (count < 1 || count > 1024) {
    throw std::invalid_argument("threads: expected an integer from 1 to 1024, got " + std::to_string(count));
  }
  at::set_num_threads(static_cast<int>(count));
  if (openblas_set_num_threads != nullptr) {
    openblas_set_num_threads(static_cast<int>(count));
  }
}

}  // namespace pair::train
