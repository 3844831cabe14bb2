#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Reads files of unknown origin, and writes files so that they survive a crash at any moment. Failures throw
// FileError with a sentence: "cannot write runs/a/done: No space left on device".

namespace pair::base {

class FileError : public std::runtime_error {
 public:
  // verb: "read".
  FileError(const char* verb, const std::filesystem::path& path, const std::string& reason, int error);
  // "Permission denied", "it is not a regular file".
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // The system's error number, such as EACCES; 0 if the file is not a regular one or is too long.
  [[nodiscard]] int error() const { return error_; }
  // Whether the path is wrong, with no file there or something else. Otherwise, the file could not be used, for
  // example for lack of permission or because of the disk.
  [[nodiscard]] bool wrong_path() const;

 private:
  std::string reason_;
  int error_;
};

// The maximum size of a file that is read, in bytes, by kind.
inline constexpr std::uint64_t largest_small_file = std::uint64_t{16} << 20;  // done, spec.json, sweep.json
inline constexpr std::uint64_t largest_records = std::uint64_t{4} << 30;      // results.jsonl, event files
inline constexpr std::uint64_t largest_checkpoint = std::uint64_t{16} << 30;

// A regular file, open for reading. Links are followed. Pipes, devices, sockets, folders and files of more
// than `limit` bytes are refused without blocking.
class RegularFile {
 public:
  explicit RegularFile(std::filesystem::path path, std::uint64_t limit = largest_small_file);
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  ~RegularFile();

  // The size at the time of opening; a file that is being written grows.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Reads up to `room` bytes; returns 0 at the end. Throws if the file has grown beyond the limit.
  std::size_t read(char* to, std::size_t room);
  // Reads `count` bytes. Throws if the file ends before.
  void read_exactly(char* to, std::size_t count);
  // The remaining bytes.
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

// The first line, made printable (names.h) and cut to `longest` bytes. Empty if the file does not exist. If
// it cannot be read, the sentence that says why.
std::string first_line(const std::filesystem::path& path, std::size_t longest = 300);

// Whether the path exists, following links. Throws if this cannot be determined, for instance without
// permission.
bool is_there(const std::filesystem::path& path);

// The fault of a path that should be a folder: "does not exist", "is not a folder", "cannot be read:
// Permission denied". Empty if it is a folder.
std::string folder_fault(const std::filesystem::path& path);

// The fault of a path that should be a file: "does not exist", "is a folder", "is a device or pipe", "cannot be
// read: Permission denied". Empty if it is a regular file that can be opened.
std::string file_fault(const std::filesystem::path& path);

// The same for a file that is read once, from front to back: it may also be a pipe or a device. These are not
// opened, since opening a pipe waits for its writer.
std::string stream_fault(const std::filesystem::path& path);

// The direct subfolders that contain an entry of this name, sorted by name. Empty if the folder cannot be
// read.
std::vector<std::string> folders_with(const std::filesystem::path& folder, std::string_view name);

// Replaces the file atomically: after a crash, it is either the complete old or the complete new file.
// Supports one writer at a time. A crash may leave NAME.part, which the next call removes.
void replace_file(const std::filesystem::path& path, std::string_view bytes);
// The same by the concatenated parts, which together may be too large to join in memory.
void replace_file(const std::filesystem::path& path, std::span<const std::string_view> parts);
// The temporary name that replace_file uses.
std::filesystem::path part_of(const std::filesystem::path& path);

// The same for a file that several processes may write at the same time, or that the user has named: uses a
// unique temporary name, keeps the permissions of the replaced file, and follows links. Existing paths that
// are not regular files, such as /dev/stdout or a pipe, are written to directly.
void write_output(const std::filesystem::path& path, std::string_view bytes);

// Makes new names in a folder durable; replace_file and write_output do so by themselves.
void sync_folder(const std::filesystem::path& folder);

}  // namespace pair::base
