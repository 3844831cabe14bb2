#pragma once

#include <filesystem>
#include <string_view>

namespace pair::base {

// A new folder among the system's temporary files (TMPDIR), deleted with its contents at the end of its
// lifetime. A process that is killed leaves it.
class TemporaryFolder {
 public:
  // The folder's name is PREFIX-XXXXXX. Throws std::runtime_error if it cannot be created.
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pair::base
