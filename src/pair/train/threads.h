#pragma once

#include <cstdint>

namespace pair::train {

inline constexpr std::int64_t most_threads = 1024;

// Sets the number of threads per operation, in LibTorch and in OpenBLAS. LibTorch keeps it per calling thread
// and OpenBLAS per process, so concurrent runs should use the same number. Rounding depends on it: records are
// equal bit for bit for the same number. Throws std::invalid_argument unless it is from 1 to most_threads.
void use_threads(std::int64_t count);

}  // namespace pair::train
