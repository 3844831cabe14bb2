#include "pair/runs/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/base/reason.h"
#include "pair/runs/lease.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& path, const char* verb, int error) {
  throw std::runtime_error(std::string("cannot ") + verb + " " + path.string() + ": " + base::reason(error));
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

// Whether all locks are leases.
bool lock_by_lease() {
  const char* const text = std::getenv("PAIR_LOCKS");
  const std::string_view locks = text == nullptr ? "" : text;
  if (!locks.empty() && locks != "lease" && locks != "flock") {
    throw std::invalid_argument("PAIR_LOCKS: expected flock or lease, got '" + std::string(locks) + "'");
  }
  return locks == "lease";
}

LeaseTimes lease_times() {
  const char* const text = std::getenv("PAIR_LEASE_SECONDS");
  if (text == nullptr || *text == '\0') {
    return {};
  }
  const std::string_view number = text;
  constexpr int most = 86400;
  constexpr int beats = 10;  // per time of patience
  const std::optional<int> seconds = base::number_from<int>(number);
  if (!seconds || *seconds < 1 || *seconds > most) {
    throw std::invalid_argument("PAIR_LEASE_SECONDS: expected an integer from 1 to " + std::to_string(most) +
                                ", got '" + std::string(number) + "'");
  }
  const std::chrono::milliseconds patience = std::chrono::seconds(*seconds);
  return {patience / beats, patience};
}

// flock's answer; none if the file system has no such locks.
std::optional<bool> try_flock(int descriptor, int& error) {
  error = 0;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return false;
    }
    // EOPNOTSUPP equals ENOTSUP on Linux.
    if (errno == ENOLCK || errno == ENOTSUP || errno == ENOSYS) {
      return std::nullopt;
    }
    if (errno != EINTR) {
      error = errno;
      return false;
    }
  }
  return true;
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
  lease_.reset();
  ::close(descriptor_);
}

void File::fail(const char* verb, int error) const {
  fail_at(path_, verb, error);
}

std::optional<bool> File::try_system_lock() {
  if (lock_by_lease()) {
    return std::nullopt;
  }
  int error = 0;
  const std::optional<bool> locked = try_flock(descriptor_, error);
  if (error != 0) {
    fail("lock", error);
  }
  return locked;
}

bool File::try_lock() {
  if (const std::optional<bool> locked = try_system_lock()) {
    return *locked;
  }
  lease_ = Lease::try_take(path_, lease_times());
  return lease_ != nullptr;
}

bool File::is_locked() {
  if (const std::optional<bool> locked = try_system_lock()) {
    if (*locked) {
      ::flock(descriptor_, LOCK_UN);
    }
    return !*locked;
  }
  return Lease::is_taken(path_, lease_times());
}

void File::require_lock() const {
  if (lease_ && !lease_->held()) {
    throw std::runtime_error("cannot write " + path_.string() +
                             ": another process has taken over, since this one seemed to be dead");
  }
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
  require_lock();
  if (const int error = write_all(descriptor_, offset, bytes); error != 0) {
    // Best effort: the missing line end marks an incomplete line.
    (void)!::ftruncate(descriptor_, static_cast<off_t>(offset));
    fail("write", error);
  }
}

void File::truncate(std::uint64_t size) {
  require_lock();
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 || ::fsync(descriptor_) != 0) {
    fail("shorten", errno);
  }
}

}  // namespace pair::runs
