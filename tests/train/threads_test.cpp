#include "pair/train/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace pair::train::threads_test {
namespace {

TEST(Threads, AreSetInLibTorchAndInOpenBlas) {
  using GetThreads = int (*)();
  const auto in_openblas = reinterpret_cast<GetThreads>(::dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  for (const int count : {2, 1}) {
    use_threads(count);
    EXPECT_EQ(at::get_num_threads(), count);
    if (in_openblas != nullptr) {
      EXPECT_EQ(in_openblas(), count);
    }
  }
}

TEST(Threads, AreFrom1To1024) {
  EXPECT_THROW(use_threads(0), std::invalid_argument);
  EXPECT_THROW(use_threads(1025), std::invalid_argument);
}

}  // namespace
}  // namespace pair::train::threads_test
