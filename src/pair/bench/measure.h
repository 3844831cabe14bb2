#pragma once

#include <chrono>

// Time and memory, for benchmarks.

namespace pair::bench {

// Wall time of a call.
template <class Function>
double seconds_of(Function function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Processor time of all threads of this process so far, in seconds.
double cpu_seconds();

// The peak memory of this process so far, including shared libraries.
double peak_megabytes();

}  // namespace pair::bench
