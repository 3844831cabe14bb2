#include "pair/cli/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

namespace pair::cli {

std::string_view better_kernels(std::string_view chosen) {
#if defined(__x86_64__)
  if (chosen != "Prescott") {
    return {};
  }
  const auto has_avx512 = [] {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  };
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    return {};
  }
  return has_avx512() ? "SkylakeX" : "Haswell";
#else
  static_cast<void>(chosen);
  return {};
#endif
}

void choose_blas_kernels() {
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  if (std::getenv(variable) != nullptr) {
    return;
  }
  const auto close = [](void* library) { ::dlclose(library); };
  const std::unique_ptr<void, decltype(close)> library(::dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL),
                                                       close);
  if (!library) {
    return;
  }
  using Name = char*();
  auto* const name = reinterpret_cast<Name*>(::dlsym(library.get(), "openblas_get_corename"));  // NOLINT
  if (name == nullptr) {
    return;
  }
  const std::string_view better = better_kernels(name());
  if (!better.empty()) {
    ::setenv(variable, better.data(), 0);  // NOLINT: the names above are literals, so they end with a zero
    ::setenv("PAIR_CHOSE_CORETYPE", "1", 1);
  }
}

void choose_onednn_kernels() {
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
}

}  // namespace pair::cli
