#pragma once

#include <cstdint>

namespace pair::train {

// Sets the number of threads per operation, in LibTorch and in OpenBLAS; 1 to 1024. LibTorch keeps it per
// calling thread and OpenBLAS per process, so concurrent runs should use the same number. Rounding depends on
// it: records are equal bit for bit for the same number.
void use_threads(std::int64_t count);

}  // namespace pair::train
