#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace pair::watch {

// The newest payload, passed from the follower of the runs to all viewers.
class Feed {
 public:
  struct Message {
    std::uint64_t version = 0;  // 1 for the first payload, then counting up; 0 if there is none yet
    std::shared_ptr<const std::string> payload;
  };

  // `payload` is JSON without line ends. Does nothing if it equals the previous payload.
  void publish(std::string payload);

  // The newest message. Waits up to `patience` for one newer than `seen`.
  [[nodiscard]] Message newest(std::uint64_t seen = 0, std::chrono::milliseconds patience = {}) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Message message_;
};

}  // namespace pair::watch
