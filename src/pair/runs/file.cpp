#include "pair/runs/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace pair::runs {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& path, const char* verb, int error) {
  throw std::runtime_error(std::string("cannot ") + verb + " " + path.string() + ": " +
                           std::generic_category().message(error));
}

// 0, or what went wrong.
int write_all(int descriptor, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    const auto count = static_cast<std::size_t>(std::max<ssize_t>(written, 0));
    bytes.remove_prefix(count);
    offset += count;
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// A new name in a folder is on disk once the folder is.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    fail_at(folder, "open", errno);
  }
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems know no fsync of folders.
  if (error != 0 && error != EINVAL) {
    fail_at(folder, "write", error);
  }
}

}  // namespace

File::File(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    fail("write", errno);
  }
}

File::~File() {
  ::close(descriptor_);
}

void File::fail(const char* verb, int error) const {
  fail_at(path_, verb, error);
}

bool File::try_lock() {
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return false;
    }
    if (errno != EINTR) {
      fail("lock", errno);
    }
  }
  return true;
}

std::uint64_t File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    fail("read", errno);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

std::string File::read(std::uint64_t offset, std::uint64_t count) const {
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::pread(descriptor_, bytes.data() + filled, bytes.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (got < 0 && errno != EINTR) {
      fail("read", errno);
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  bytes.resize(filled);
  return bytes;
}

void File::write(std::uint64_t offset, std::string_view bytes) {
  if (const int error = write_all(descriptor_, offset, bytes); error != 0) {
    // Best effort: what is left of the line is told by its missing end.
    (void)!::ftruncate(descriptor_, static_cast<off_t>(offset));
    fail("write", error);
  }
}

void File::truncate(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 || ::fsync(descriptor_) != 0) {
    fail("shorten", errno);
  }
}

std::string read_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    fail_at(path, "read", errno);
  }
  std::string bytes;
  char block[1 << 16];
  ssize_t got = 0;
  while ((got = ::read(descriptor, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
    bytes.append(block, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  const int error = errno;
  ::close(descriptor);
  if (got < 0) {
    fail_at(path, "read", error);
  }
  return bytes;
}

std::filesystem::path part_of(const std::filesystem::path& path) {
  fs::path part = path;
  part += ".part";
  return part;
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  const fs::path part = part_of(path);
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    fail_at(path, "write", errno);
  }
  int error = write_all(descriptor, 0, bytes);
  error = ::close(descriptor) == 0 || error != 0 ? error : errno;
  if (error == 0 && ::rename(part.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(part.c_str());
    fail_at(path, "write", error);
  }
  sync_folder(path.parent_path());
}

}  // namespace pair::runs
