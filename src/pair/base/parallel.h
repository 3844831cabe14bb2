#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace pair::base {

// Calls work(i) for every i below count, on as many threads as the machine has cores, in any order; calls
// must not depend on each other. Rethrows the exception of the smallest i that threw one; all calls are made.
template <class Work>
void for_each_in_parallel(std::size_t count, const Work& work) {
  constexpr std::size_t block = 64;  // calls taken at a time; fewer are not worth a thread
  const std::size_t threads =
      std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), (count + block - 1) / block);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t failed = count;
  std::exception_ptr failure;
  const auto take = [&] {
    for (std::size_t first = 0; (first = next.fetch_add(block)) < count;) {
      for (std::size_t i = first; i < std::min(first + block, count); ++i) {
        try {
          work(i);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (i < failed) {
            failed = i;
            failure = std::current_exception();
          }
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) {
      others.emplace_back(take);
    }
    take();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace pair::base
