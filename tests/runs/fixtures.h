#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pair/runs/run_spec.h"

namespace pair::runs::testing {

// A folder that is gone after the test.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write(const std::filesystem::path& path, std::string_view text);

// A run of milliseconds: few digits, a narrow model, 20 steps of which 8 are ERM's.
RunSpec small_spec(std::string_view algorithm = "pair", std::uint64_t seed = 0);

}  // namespace pair::runs::testing
