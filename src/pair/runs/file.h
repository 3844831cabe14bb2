#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pair/base/files.h"

// The file that a run appends its records to. Failures throw std::runtime_error with a sentence: "cannot
// write runs/a/results.jsonl: No space left on device".

namespace pair::runs {

class Lease;

// A regular file, open for reading and writing; created if it does not exist. Anything other than a regular
// file is refused.
class File {
 public:
  explicit File(std::filesystem::path path);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  // False if another open File holds the lock, in this process or another. The lock is released with the
  // File. If the file system has no flock, or PAIR_LOCKS is "lease", the lock is a lease (lease.h), which
  // is taken over from a dead process after PAIR_LEASE_SECONDS (default 60); a File that has lost its lease
  // throws std::runtime_error instead of writing. Throws std::invalid_argument for other values of these
  // variables.
  [[nodiscard]] bool try_lock();
  // Whether try_lock would return false, without taking the lock for longer than that.
  [[nodiscard]] bool is_locked();

  // Throws std::runtime_error if the lock was a lease that another process has taken over since.
  void require_lock() const;

  [[nodiscard]] std::uint64_t size() const;
  // Up to `count` bytes from `offset`; fewer at the end of the file.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const;
  // Writes and syncs to disk. On failure, the file is truncated to `offset` again.
  void write(std::uint64_t offset, std::string_view bytes);
  void truncate(std::uint64_t size);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* verb, int error) const;
  // By flock; none if a lease takes its place.
  [[nodiscard]] std::optional<bool> try_system_lock();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::unique_ptr<Lease> lease_;
};

using base::part_of;
using base::read_file;
using base::replace_file;

}  // namespace pair::runs
