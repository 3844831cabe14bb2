#include "pair/runs/lease.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "pair/base/files.h"
#include "pair/base/reason.h"
#include "pair/data/sha256.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;

// Closed at the end of its scope.
class LeaseDescriptor {
 public:
  LeaseDescriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  LeaseDescriptor(const LeaseDescriptor&) = delete;
  LeaseDescriptor& operator=(const LeaseDescriptor&) = delete;
  ~LeaseDescriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_lease(const fs::path& path, int error) {
  throw std::runtime_error("cannot write " + path.string() + ": " + base::reason(error));
}

// Opened each time: network file systems show others' changes to those who open a file. Throws if the path is
// not a regular file, which no process has written as its lease.
std::optional<std::string> content_of(const fs::path& path) {
  try {
    return base::read_file(path);
  } catch (const base::FileError& error) {
    if (error.error() == 0) {
      throw;
    }
    return std::nullopt;
  }
}

std::string boot_of_host() {
  return base::first_line("/proc/sys/kernel/random/boot_id");
}

// Where process numbers have a meaning: the host since its start, and the namespace of this process.
std::string place_of_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::error_code ignored;
  return std::string(host.data()) + " " + boot_of_host() + " " +
         fs::read_symlink("/proc/self/ns/pid", ignored).string();
}

std::string new_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) {
    token += std::to_string(device()) + (i < 3 ? "-" : "");
  }
  return token;
}

// The lease's lines. The counter is last and has a fixed width, so that a beat overwrites the file in place.
std::string lines_of(const std::string& owner, std::uint64_t count) {
  std::string number = std::to_string(count);
  number.insert(0, 20 - number.size(), '0');
  return owner + number + "\n";
}

std::string line_at(const std::string& text, int index) {
  std::size_t begin = 0;
  for (int i = 0; i < index && begin != std::string::npos; ++i) {
    begin = text.find('\n', begin);
    begin = begin == std::string::npos ? begin : begin + 1;
  }
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find('\n', begin) - begin);
}

// Whether the owner ran on this host and has ended.
bool is_dead_here(const std::string& lease) {
  if (line_at(lease, 1) != place_of_process()) {
    return false;
  }
  const std::string number = line_at(lease, 2);
  pid_t process = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), process);
  return error == std::errc() && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

// Milliseconds since the host's start, including the time it was suspended.
std::int64_t host_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// The file of this host in which the observation of a lease is kept.
fs::path observation_of(const fs::path& lease) {
  std::error_code ignored;
  const fs::path folder = fs::temp_directory_path(ignored) / ("pair-leases-" + std::to_string(::getuid()));
  fs::create_directories(folder, ignored);
  const std::string name = fs::weakly_canonical(lease, ignored).string();
  return folder / data::sha256(name);
}

// Whether this host has seen the same content for the time of patience. Remembers what it sees.
bool has_stood_still(const fs::path& lease, const std::string& content, const LeaseTimes& times) {
  const fs::path file = observation_of(lease);
  const std::string seen = boot_of_host() + "\n" + content;
  const std::int64_t now = host_clock();
  std::optional<std::string> before;
  try {
    before = content_of(file);
  } catch (const base::FileError&) {
    // Replaced below.
  }
  if (before) {
    const std::size_t end = before->find('\n');
    std::int64_t since = 0;
    if (end != std::string::npos && before->substr(end + 1) == seen &&
        std::from_chars(before->data(), before->data() + end, since).ec == std::errc()) {
      return now - since >= times.patience.count();
    }
  }
  try {
    base::replace_file(file, std::to_string(now) + "\n" + seen);
  } catch (const std::runtime_error&) {
    // If the observation cannot be stored, the owner counts as alive.
  }
  return false;
}

// Creates a file that nobody else has created. False if it exists.
bool create_new(const fs::path& path, const std::string& content) {
  const LeaseDescriptor file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file.number() < 0) {
    if (errno == EEXIST) {
      return false;
    }
    fail_lease(path, errno);
  }
  if (::pwrite(file.number(), content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()) ||
      ::fsync(file.number()) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    fail_lease(path, error);
  }
  return true;
}

bool is_abandoned(const fs::path& lease, const std::string& content, const LeaseTimes& times) {
  return is_dead_here(content) || has_stood_still(lease, content, times);
}

// Replaces an abandoned lease. Those who try it at the same time exclude each other by a second file, which
// is abandoned by the same rule if its owner dies between the two.
bool take_over(const fs::path& lease, const std::string& abandoned, const std::string& mine,
               const LeaseTimes& times) {
  const fs::path door = lease.string() + ".takeover";
  if (!create_new(door, mine)) {
    if (const std::optional<std::string> other = content_of(door);
        other && is_abandoned(door, *other, times)) {
      ::unlink(door.c_str());
    }
    return false;
  }
  bool taken = false;
  if (content_of(lease) == abandoned) {
    const fs::path fresh = lease.string() + "." + line_at(mine, 0);
    taken = create_new(fresh, mine) && ::rename(fresh.c_str(), lease.c_str()) == 0;
  }
  ::unlink(door.c_str());
  return taken;
}

}  // namespace

std::filesystem::path Lease::path_of(const std::filesystem::path& file) {
  return file.string() + ".lease";
}

bool Lease::is_taken(const std::filesystem::path& file, const LeaseTimes& times) {
  const fs::path path = path_of(file);
  const std::optional<std::string> its = content_of(path);
  return its && !is_abandoned(path, *its, times);
}

std::unique_ptr<Lease> Lease::try_take(const std::filesystem::path& file, const LeaseTimes& times) {
  const fs::path path = path_of(file);
  const std::string owner =
      new_token() + "\n" + place_of_process() + "\n" + std::to_string(::getpid()) + "\n";
  const std::string mine = lines_of(owner, 0);
  if (!create_new(path, mine)) {
    const std::optional<std::string> its = content_of(path);
    if (!its || !is_abandoned(path, *its, times) || !take_over(path, *its, mine, times)) {
      return nullptr;
    }
  }
  std::error_code ignored;
  fs::remove(observation_of(path), ignored);
  return std::unique_ptr<Lease>(new Lease(path, owner, times));  // the constructor is private
}

Lease::Lease(std::filesystem::path path, std::string owner, const LeaseTimes& times)
    : path_(std::move(path)), owner_(std::move(owner)) {
  heartbeat_ = std::jthread([this, beat = times.beat](const std::stop_token& stop) {
    std::condition_variable_any rest;
    std::unique_lock lock(mutex_);
    for (std::uint64_t count = 1;
         !rest.wait_for(lock, stop, beat, [] { return false; }) && !stop.stop_requested(); ++count) {
      // A process that takes over the lease replaces the file, so the file opened here may no longer be the lease.
      const LeaseDescriptor file(path_, O_RDWR | O_NONBLOCK | O_NOCTTY);
      std::string its(owner_.size(), '\0');
      if (::pread(file.number(), its.data(), its.size(), 0) == static_cast<ssize_t>(its.size()) &&
          its == owner_) {
        const std::string lines = lines_of(owner_, count);
        // A beat that fails is made up for by the next.
        if (::pwrite(file.number(), lines.data(), lines.size(), 0) > 0) {
          ::fsync(file.number());
        }
      }
    }
  });
}

Lease::~Lease() {
  heartbeat_.request_stop();
  heartbeat_.join();
  if (held()) {
    ::unlink(path_.c_str());
  }
}

bool Lease::held() const {
  try {
    const std::optional<std::string> content = content_of(path_);
    return content && content->starts_with(owner_);
  } catch (const base::FileError&) {
    return false;
  }
}

}  // namespace pair::runs
