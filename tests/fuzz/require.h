#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace pair::fuzz {

// A finding: libFuzzer keeps the input of a program that aborts.
inline void require(bool condition, std::string_view what) {
  if (!condition) {
    std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
  }
}

}  // namespace pair::fuzz
