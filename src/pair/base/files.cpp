#include "pair/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/output_file.h"
#include "pair/base/reason.h"

namespace pair::base {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& path, const char* verb, const std::string& why, int error = 0) {
  throw FileError(verb, path, why, error);
}

[[noreturn]] void fail_at(const fs::path& path, const char* verb, int error) {
  fail_at(path, verb, reason(error), error);
}

[[noreturn]] void fail_too_long(const fs::path& path, std::uint64_t size, std::uint64_t limit) {
  fail_at(path, "read", "expected at most " + std::to_string(limit) + " bytes, got " + std::to_string(size));
}

}  // namespace

FileError::FileError(const char* verb, const std::filesystem::path& path, const std::string& reason,
                     int error)
    : std::runtime_error(std::string("cannot ") + verb + " " + path.string() + ": " + reason),
      reason_(reason),
      error_(error) {}

bool FileError::wrong_path() const {
  return error_ == 0 || error_ == ENOENT || error_ == ENOTDIR;
}

RegularFile::RegularFile(std::filesystem::path path, std::uint64_t limit)
    : path_(std::move(path)), limit_(limit) {
  // Not blocking, so that opening a pipe of this name does not hang.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) {
    // A socket cannot be opened.
    const int error = errno;
    error == ENXIO ? fail_at(path_, "read", "it is not a regular file") : fail_at(path_, "read", error);
  }
  struct stat status {};
  const int error = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  const bool good = error == 0 && S_ISREG(status.st_mode) && size_ <= limit_;
  if (!good) {
    ::close(descriptor_);
    if (error != 0) {
      fail_at(path_, "read", error);
    }
    if (!S_ISREG(status.st_mode)) {
      fail_at(path_, "read", "it is not a regular file");
    }
    fail_too_long(path_, size_, limit_);
  }
}

RegularFile::~RegularFile() {
  ::close(descriptor_);
}

std::size_t RegularFile::read(char* to, std::size_t room) {
  ssize_t got = 0;
  while ((got = ::read(descriptor_, to, room)) < 0) {
    if (errno != EINTR) {
      fail_at(path_, "read", errno);
    }
  }
  taken_ += static_cast<std::uint64_t>(got);
  if (taken_ > limit_) {
    fail_too_long(path_, taken_, limit_);
  }
  return static_cast<std::size_t>(got);
}

void RegularFile::read_exactly(char* to, std::size_t count) {
  while (count > 0) {
    const std::size_t got = read(to, count);
    if (got == 0) {
      fail_at(path_, "read", "it ended early");
    }
    to += got;
    count -= got;
  }
}

std::string RegularFile::read_all() {
  constexpr std::size_t least_room = std::size_t{64} << 10;
  std::string bytes;
  std::size_t filled = 0;
  for (std::size_t got = 1; got > 0; filled += got) {
    // One byte more than the expected size, so that a complete file is read in two calls.
    bytes.resize(filled + std::max<std::size_t>(size_ > filled ? size_ - filled + 1 : 0, least_room));
    got = read(bytes.data() + filled, bytes.size() - filled);
  }
  bytes.resize(filled);
  return bytes;
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  return RegularFile(path, limit).read_all();
}

std::string first_line(const std::filesystem::path& path, std::size_t longest) {
  try {
    if (!is_there(path)) {
      return {};
    }
    RegularFile file(path, largest_records);
    std::string line(longest, '\0');
    std::size_t filled = 0;
    for (std::size_t got = 1; got > 0 && filled < longest; filled += got) {
      got = file.read(line.data() + filled, longest - filled);
    }
    line.resize(filled);
    line.erase(std::min(line.find('\n'), line.size()));
    return printable(line);
  } catch (const std::runtime_error& error) {
    return printable(error.what());
  }
}

bool is_there(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    return true;
  }
  if (errno != ENOENT && errno != ENOTDIR) {
    fail_at(path, "read", errno);
  }
  return false;
}

std::string folder_fault(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    if (error != ENOENT && error != ENOTDIR) {
      return "cannot be read: " + reason(error);
    }
    // A dangling link exists.
    return ::lstat(path.c_str(), &status) == 0 ? "is not a folder" : "does not exist";
  }
  return S_ISDIR(status.st_mode) ? "" : "is not a folder";
}

std::string file_fault(const std::filesystem::path& path) {
  struct stat status {};
  int error = ::stat(path.c_str(), &status) == 0 ? 0 : errno;
  if (error == ENOENT || error == ENOTDIR) {
    return "does not exist";
  }
  if (error == 0 && !S_ISREG(status.st_mode)) {
    return S_ISDIR(status.st_mode) ? "is a folder" : "is a device or pipe";
  }
  if (error == 0) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor >= 0) {
      ::close(descriptor);
      return {};
    }
    error = errno;
  }
  return "cannot be read: " + reason(error);
}

std::string stream_fault(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !(S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))) {
    return file_fault(path);
  }
  const bool readable = ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0;
  return readable ? "" : "cannot be read: " + reason(errno);
}

std::vector<std::string> folders_with(const std::filesystem::path& folder, std::string_view name) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code unknown;
    if (fs::exists(entry->path() / name, unknown)) {
      names.push_back(entry->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path part_of(const std::filesystem::path& path) {
  fs::path part = path;
  part += ".part";
  return part;
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  replace_file(path, std::span(&bytes, 1));
}

void replace_file(const std::filesystem::path& path, std::span<const std::string_view> parts) {
  OutputFile file(path, part_of(path));
  for (const std::string_view bytes : parts) {
    file.write(bytes);
  }
  file.finish();
}

void write_output(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.finish();
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    // A folder that is writable but not readable: the file exists but may reach the disk later.
    if (errno == EACCES) {
      return;
    }
    fail_at(folder, "open", errno);
  }
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems do not support fsync on folders.
  if (error != 0 && error != EINVAL) {
    fail_at(folder, "write", error);
  }
}

}  // namespace pair::base
