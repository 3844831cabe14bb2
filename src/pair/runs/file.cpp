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

// Returns 0 or an error number.
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

}  // namespace

File::File(std::filesystem::path path) : path_(std::move(path)) {
  // Not blocking, so that opening a pipe of this name does not hang.
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
  if (descriptor_ < 0) {
    fail("write", errno);
  }
  struct stat status {};
  const int error = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (error != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    if (error != 0) {
      fail("write", error);
    }
    throw std::runtime_error("cannot write " + path_.string() + ": it is not a regular file");
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
    // Best effort: the missing line end marks an incomplete line.
    (void)!::ftruncate(descriptor_, static_cast<off_t>(offset));
    fail("write", error);
  }
}

void File::truncate(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 || ::fsync(descriptor_) != 0) {
    fail("shorten", errno);
  }
}

}  // namespace pair::runs
