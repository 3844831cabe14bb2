#include "pair/train/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include "pair/base/numbers.h"

namespace pair::train {

void use_threads(std::int64_t count) {
  base::require_integer("threads", count, 1, most_threads);
  at::set_num_threads(static_cast<int>(count));
  // Present if LibTorch uses OpenBLAS (Debian), absent if it includes MKL. Looked up at run time: some
  // linkers (mold) decide that a weak symbol is absent when they link, since the program itself does not name
  // OpenBLAS.
  using SetThreads = void (*)(int);
  if (void* const found = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); found != nullptr) {
    reinterpret_cast<SetThreads>(found)(static_cast<int>(count));
  }
}

}  // namespace pair::train
