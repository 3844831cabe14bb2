#pragma once

#include <sys/types.h>

#include <filesystem>

namespace pair::bench {

// A new folder for a benchmark's files, gone with it, and gone as well where the process is stopped or
// killed: a child of this process waits for its end, which a pipe tells it, and then deletes what is left.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void start_janitor();

  std::filesystem::path path_;
  int alive_ = -1;  // closed by the end of this process, if not before
  pid_t janitor_ = -1;
};

}  // namespace pair::bench
