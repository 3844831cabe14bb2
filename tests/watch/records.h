#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/scratch.h"

namespace pair::watch::test {

using tests::Scratch;

inline void append(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::app) << text;
}

// A line of results.jsonl.
inline std::string record(int step, std::string_view algorithm = "pair") {
  return R"({"step":)" + std::to_string(step) + R"(,"args":{"algorithm":")" + std::string(algorithm) +
         R"(","dataset":"cmnist","seed":0,"trial_seed":0,"hparams_seed":0,"test_envs":[2]},"hparams":{"lr":0.1},)" +
         R"("loss":0.5,"losses":{"erm":0.5,"irmv1":0.25},"env0_in_acc":0.75,"env2_in_acc":0.5})" + "\n";
}

}  // namespace pair::watch::test
