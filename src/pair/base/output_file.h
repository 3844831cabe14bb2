#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pair::base {

// A file named by the user, written in pieces and complete when it appears: until finish(), the pieces are in
// a temporary file next to it, and an existing file is unchanged. Keeps the permissions of the replaced file,
// and follows links. Existing paths that are not regular files, such as /dev/stdout or a pipe, are written to
// directly. Failures throw FileError (files.h).
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  // A file of the program's own, with a temporary file of a known name, which replaces any file of that name:
  // after a crash, the next writer removes it. Links at the path are replaced, not followed.
  OutputFile(const std::filesystem::path& path, const std::filesystem::path& part);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  // Without finish(), the temporary file is removed.
  ~OutputFile();

  void write(std::string_view bytes);
  // Syncs the file to disk and moves it into place. Nothing may be written afterwards.
  void finish();

 private:
  [[noreturn]] void fail(int error) const;
  void write_out(std::string_view bytes);

  std::filesystem::path path_;  // links followed
  std::filesystem::path part_;  // empty if the path is written to directly
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace pair::base
