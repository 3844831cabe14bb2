#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace pair::watch::test {

// A folder that is gone after the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "pair-watch-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) == nullptr ? "" : name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

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
