#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "pair/base/files.h"

// The file that a run adds its records to. Every failure is a std::runtime_error with a sentence: "cannot
// write runs/a/results.jsonl: No space left on device".

namespace pair::runs {

// A regular file that is open for reading and writing, made where it is missing. What is there and is not a
// regular file is refused.
class File {
 public:
  explicit File(std::filesystem::path path);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  // False where another open File holds the lock, in this process or another. It ends with the File.
  [[nodiscard]] bool try_lock();

  [[nodiscard]] std::uint64_t size() const;
  // Up to `count` bytes from `offset` on; fewer where the file ends.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const;
  // Writes and brings to disk. Where that fails, the file ends at `offset` again.
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
