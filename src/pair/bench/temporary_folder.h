#pragma once

#include <sys/types.h>

#include <filesystem>

#include "pair/base/temporary_folder.h"

namespace pair::bench {

// A temporary folder for a benchmark, deleted at the end, even if the process is stopped or killed: a child
// process notices the end through a pipe and deletes the rest.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  void start_janitor();

  base::TemporaryFolder folder_{"pair-bench"};
  int alive_ = -1;  // closed at the end of this process at the latest
  pid_t janitor_ = -1;
};

}  // namespace pair::bench
