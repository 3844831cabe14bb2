#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

// Locks for shared file systems without flock: a lease file next to the locked one, FILE.lease.
//
// The lease names its owner: a random token, the host with its boot and its process namespace, the process,
// and a counter, which the owner raises every `beat`. A process that finds the lease of another remembers its
// content and when, by its own clock, it first saw that content; clocks of two machines are never compared.
// When the content has stood still for `patience`, the owner is dead, and one of those who see that takes the
// lease over. An owner on the same host that no longer runs is dead at once.
//
// An owner that was only suspended finds out by held(), before it writes. Creation with O_EXCL and rename
// must be atomic on the file system, as on NFS 3 and later, Lustre and GPFS.
//
// Observations are kept in the host's folder for temporary files, so that all processes of a host share it.

namespace pair::runs {

struct LeaseTimes {
  std::chrono::milliseconds beat = std::chrono::seconds(6);
  std::chrono::milliseconds patience = std::chrono::seconds(60);
};

class Lease {
 public:
  // Null if another process or object holds the lease of the file. Throws std::runtime_error if the lease
  // cannot be written or is not a regular file.
  static std::unique_ptr<Lease> try_take(const std::filesystem::path& file, const LeaseTimes& times = {});
  // Whether a process that is not known to be dead holds it.
  static bool is_taken(const std::filesystem::path& file, const LeaseTimes& times = {});
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  // Gives the lease back, if it is still held.
  ~Lease();

  // Whether this object still holds the lease: reads it.
  [[nodiscard]] bool held() const;

  // The lease of a file.
  static std::filesystem::path path_of(const std::filesystem::path& file);

 private:
  Lease(std::filesystem::path path, std::string owner, const LeaseTimes& times);

  std::filesystem::path path_;
  std::string owner_;  // the lease's lines, without the counter
  std::mutex mutex_;   // for the wait between two beats
  std::jthread heartbeat_;
};

}  // namespace pair::runs
