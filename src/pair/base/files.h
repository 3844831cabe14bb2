#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Reading files that somebody else may have made, and writing files that survive a crash at any moment. Every
// failure is a FileError with a sentence: "cannot write runs/a/done: No space left on device".

namespace pair::base {

class FileError : public std::runtime_error {
 public:
  // verb: "read".
  FileError(const char* verb, const std::filesystem::path& path, const std::string& reason, int error);
  // "Permission denied", "it is not a regular file".
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // The system's number, such as EACCES; 0 where a file is not a regular one or is too long.
  [[nodiscard]] int error() const { return error_; }

 private:
  std::string reason_;
  int error_;
};

// The most that is read of a file, in bytes, by its kind.
inline constexpr std::uint64_t largest_small_file = std::uint64_t{16} << 20;  // done, spec.json, sweep.json
inline constexpr std::uint64_t largest_records = std::uint64_t{4} << 30;      // results.jsonl, event files
inline constexpr std::uint64_t largest_checkpoint = std::uint64_t{16} << 30;

// A regular file that is open for reading. Links are followed. A pipe, a device, a socket and a folder are
// refused without waiting for them, and so is a file of more than `limit` bytes.
class RegularFile {
 public:
  explicit RegularFile(std::filesystem::path path, std::uint64_t limit = largest_small_file);
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  ~RegularFile();

  // When it was opened; a file that is being written grows.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // The next bytes, at most `room`; 0 at the end. Throws where the file has grown past the limit.
  std::size_t read(char* to, std::size_t room);
  // The next bytes to the end.
  std::string read_all();

 private:
  std::filesystem::path path_;
  std::uint64_t limit_;
  std::uint64_t size_ = 0;
  std::uint64_t taken_ = 0;
  int descriptor_ = -1;
};

// The whole file.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = largest_small_file);

// The first line, printable (names.h) and at most `longest` bytes of it; empty where there is no file. For a
// file that cannot be read, the sentence that says why.
std::string first_line(const std::filesystem::path& path, std::size_t longest = 300);

// Whether something has this name; a link counts as what it leads to. Throws where that cannot be told, for
// instance for want of permissions.
bool is_there(const std::filesystem::path& path);

// What is wrong with a path that should be a folder: "does not exist", "is not a folder", "cannot be read:
// Permission denied". Empty where it is one.
std::string folder_fault(const std::filesystem::path& path);

// The folders directly inside of one that have something of this name in them, by name. None where the folder
// cannot be read.
std::vector<std::string> folders_with(const std::filesystem::path& folder, std::string_view name);

// Replaces the file at once: after a crash it is the old one or the new one, whole. One writer at a time; a
// crash may leave NAME.part, which the next call writes over.
void replace_file(const std::filesystem::path& path, std::string_view bytes);
// The name that replace_file writes under.
std::filesystem::path part_of(const std::filesystem::path& path);

// The same for a file that several processes may write at once, or that a user has named: writes under a
// name of its own first, keeps the permissions of the file that it replaces, and follows a link. What is
// there and is not a regular file, such as /dev/stdout or a pipe, is written to as it is.
void write_output(const std::filesystem::path& path, std::string_view bytes);

}  // namespace pair::base
