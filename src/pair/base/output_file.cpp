#include "pair/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "pair/base/files.h"

namespace pair::base {
namespace {

constexpr std::size_t buffered_at_most = std::size_t{256} << 10U;
constexpr mode_t usual_mode = 0644;

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
    part_ =
        path_.parent_path() / ("." + path_.filename().string() + "." + std::to_string(::getpid()) + ".part");
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

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    if (!part_.empty()) {
      ::unlink(part_.c_str());
    }
  }
}

void OutputFile::fail(int error) const {
  throw FileError("write", path_, std::generic_category().message(error), error);
}

void OutputFile::write_out() {
  for (std::string_view left = buffer_; !left.empty();) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno != EINTR) {
      fail(errno);
    }
    left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  buffer_.clear();
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= buffered_at_most) {
    write_out();
  }
}

void OutputFile::finish() {
  write_out();
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
