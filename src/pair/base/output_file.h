#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pair::base {

// A file that a user has named, written a piece at a time and there only when it is whole: until finish() the
// pieces are under a name of their own beside it, and an existing file stays as it is. Keeps the permissions
// of the file that it replaces, and follows a link. What is there and is not a regular file, such as
// /dev/stdout or a pipe, is written to as it is. Every failure is a FileError (files.h).
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  // Without finish(), nothing is left of it.
  ~OutputFile();

  void write(std::string_view bytes);
  // Brings it to disk and puts it in place. Nothing may be written after that.
  void finish();

 private:
  [[noreturn]] void fail(int error) const;
  void write_out();

  std::filesystem::path path_;  // links followed
  std::filesystem::path part_;  // empty where the path is written to as it is
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace pair::base
