#include "pair/cli/blas.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace pair::cli::test::blas_test {
namespace {

TEST(BlasKernels, KeepsAChoiceThatKnowsTheProcessor) {
  EXPECT_EQ(better_kernels("SkylakeX"), "");
  EXPECT_EQ(better_kernels("Zen"), "");
  EXPECT_EQ(better_kernels("ARMV8"), "");
  EXPECT_EQ(better_kernels(""), "");
}

TEST(BlasKernels, ReplacesTheOldestKernelsByWhatTheProcessorHas) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    EXPECT_EQ(better_kernels("Prescott"), "");
    return;
  }
  EXPECT_EQ(better_kernels("Prescott"), __builtin_cpu_supports("avx512f") ? "SkylakeX" : "Haswell");
#else
  EXPECT_EQ(better_kernels("Prescott"), "");
#endif
}

TEST(BlasKernels, KeepsWhatTheUserHasSet) {
  ASSERT_EQ(::setenv("OPENBLAS_CORETYPE", "Nehalem", 1), 0);
  choose_blas_kernels();
  EXPECT_STREQ(std::getenv("OPENBLAS_CORETYPE"), "Nehalem");
  ::unsetenv("OPENBLAS_CORETYPE");
}

}  // namespace
}  // namespace pair::cli::test::blas_test
