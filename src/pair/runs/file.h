#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// Files that survive a crash at any moment. Every failure is a std::runtime_error with a sentence: "cannot
// write runs/a/results.jsonl: No space left on device".

namespace pair::runs {

// A file that is open for reading and writing, made where it is missing.
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

// The whole file.
std::string read_file(const std::filesystem::path& path);

// Replaces the file at once: after a crash it is the old one or the new one, whole. One writer at a time; a
// crash may leave NAME.part, which the next call writes over.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

// The name that replace_file writes under.
std::filesystem::path part_of(const std::filesystem::path& path);

}  // namespace pair::runs
