#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pair/runs/keys.h"
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

// The dataset of a spec that has ColoredMNIST.
data::ColoredMnistSpec& colored_mnist(RunSpec& spec);

// A run of milliseconds: few digits, a narrow model, 20 steps of which 8 are ERM's.
RunSpec small_spec(std::string_view algorithm = "pair", std::uint64_t seed = 0);

// small_spec, or where that has no such setting one with the dataset or the algorithm that has.
RunSpec spec_with(const Key& key);

}  // namespace pair::runs::testing
