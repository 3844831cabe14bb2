#pragma once

#include <cstdint>

namespace pair::data {

// The part of n things that one of several processes takes: consecutive ones, the parts in the processes'
// order, of sizes that differ by at most one.
struct Share {
  std::int64_t part = 0;   // 0 to parts - 1
  std::int64_t parts = 1;  // at least 1

  [[nodiscard]] std::int64_t first(std::int64_t n) const { return n * part / parts; }
  [[nodiscard]] std::int64_t count(std::int64_t n) const { return n * (part + 1) / parts - first(n); }
  [[nodiscard]] bool whole() const { return parts == 1; }
};

}  // namespace pair::data
