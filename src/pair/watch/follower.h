#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "pair/select/results_file.h"
#include "pair/watch/run_folders.h"

namespace pair::watch {

// Follows the runs of a folder while they grow.
class Follower {
 public:
  // Throws std::invalid_argument if `folder` is not a folder.
  explicit Follower(std::filesystem::path folder);

  // Reads the runs that changed since the last call. Returns whether any did; always true on the first call.
  bool look();

  // The payload (pair/report/payload.h) of all runs as of the last look(), running and ended.
  [[nodiscard]] nlohmann::json payload() const;

 private:
  std::filesystem::path folder_;
  std::optional<RunFolders> found_;
  std::map<std::filesystem::path, select::ResultsFile> read_;
};

}  // namespace pair::watch
