#pragma once

#include <cstdint>

namespace pair::train {

// How many threads one operation may use, in LibTorch and in OpenBLAS; 1 to 1024. LibTorch keeps the number
// for the calling thread and OpenBLAS for the process, so that runs side by side should ask for the same.
// Rounding depends on it: records are equal bit for bit for the same number.
void use_threads(std::int64_t count);

}  // namespace pair::train
