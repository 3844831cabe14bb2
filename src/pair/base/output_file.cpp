#include "pair/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/reason.h"

namespace pair::base {
namespace {

constexpr std::size_t buffered_at_most = std::size_t{256} << 10U;
constexpr mode_t usual_mode = 0644;

// A name next to the target's that no other thread or process uses.
std::filesystem::path own_part_of(const std::filesystem::path& path) {
  static std::atomic<unsigned> count = 0;
  const std::string serial = std::to_string(::getpid()) + "-" + std::to_string(count++);
  return path.parent_path() / ("." + path.filename().string() + "." + serial + ".part");
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) {
    fail(EISDIR);
  }
  if (there && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    if (there) {
      std::error_code error;
      path_ = std::filesystem::canonical(path, error);
      if (error) {
        fail(error.value());
      }
    }
    part_ = own_part_of(path_);
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, usual_mode);
  }
  if (descriptor_ < 0) {
    fail(errno);
  }
  if (there && !part_.empty() && ::fchmod(descriptor_, status.st_mode & 07777) != 0) {
    const int error = errno;
    ::close(std::exchange(descriptor_, -1));
    ::unlink(part_.c_str());
    fail(error);
  }
}

OutputFile::OutputFile(const std::filesystem::path& path, const std::filesystem::path& part)
    : path_(path), part_(part) {
  // A new file, never one that exists: writing to a pipe of that name would wait for its reader.
  ::unlink(part_.c_str());
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, usual_mode);
  if (descriptor_ < 0) {
    fail(errno);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    if (!part_.empty()) {
      ::unlink(part_.c_str());
    }
  }
}

void OutputFile::fail(int error) const {
  throw FileError("write", path_, reason(error), error);
}

void OutputFile::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      fail(errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= buffered_at_most) {
    buffer_ += bytes;
    return;
  }
  write_out(buffer_);
  buffer_.clear();
  write_out(bytes);
}

void OutputFile::finish() {
  write_out(buffer_);
  if (part_.empty()) {
    if (::close(std::exchange(descriptor_, -1)) != 0) {
      fail(errno);
    }
    return;
  }
  if (::fsync(descriptor_) != 0 || ::rename(part_.c_str(), path_.c_str()) != 0) {
    fail(errno);  // the destructor removes the part
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail(errno);
  }
  sync_folder(path_.parent_path());
}

}  // namespace pair::base
