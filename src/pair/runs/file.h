#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "pair/base/files.h"

// The file that a run appends its records to. Failures throw std::runtime_error with a sentence: "cannot
// write runs/a/results.jsonl: No space left on device".

namespace pair::runs {

// A regular file, open for reading and writing; created if it does not exist. Anything other than a regular
// file is refused.
class File {
 public:
  explicit File(std::filesystem::path path);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  // False if another open File holds the lock, in this process or another. The lock is released with the
  // File.
  [[nodiscard]] bool try_lock();

  [[nodiscard]] std::uint64_t size() const;
  // Up to `count` bytes from `offset`; fewer at the end of the file.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const;
  // Writes and syncs to disk. On failure, the file is truncated to `offset` again.
  void write(std::uint64_t offset, std::string_view bytes);
  void truncate(std::uint64_t size);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* verb, int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

using base::part_of;
using base::read_file;
using base::replace_file;

}  // namespace pair::runs
