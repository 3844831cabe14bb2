#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace pair::watch {

// The newest payload, handed from the one that follows the runs to all that show them.
class Feed {
 public:
  struct Message {
    std::uint64_t version = 0;  // from 1, one more with every payload; 0: there is none yet
    std::shared_ptr<const std::string> payload;
  };

  // JSON without line ends. Does nothing where it is the one before.
  void publish(std::string payload);

  // The newest; waits at most `patience` for one that is newer than `seen`.
  [[nodiscard]] Message newest(std::uint64_t seen = 0, std::chrono::milliseconds patience = {}) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Message message_;
};

}  // namespace pair::watch
