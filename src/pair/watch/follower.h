#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "pair/select/results_file.h"
#include "pair/watch/run_folders.h"

namespace pair::watch {

// The runs of a folder as they grow.
class Follower {
 public:
  // Throws std::invalid_argument where that is no folder.
  explicit Follower(std::filesystem::path folder);

  // Reads the runs that changed since the last call, and no others. False where none did; true the first
  // time.
  bool look();

  // What pair/report/payload.h makes of the runs as of the last look: those that go on and those that ended.
  [[nodiscard]] nlohmann::json payload() const;

 private:
  std::filesystem::path folder_;
  std::optional<RunFolders> found_;
  std::map<std::filesystem::path, select::ResultsFile> read_;
};

}  // namespace pair::watch
