#include "pair/watch/feed.h"

#include <utility>

namespace pair::watch {

void Feed::publish(std::string payload) {
  {
    const std::scoped_lock lock(mutex_);
    if (message_.payload && *message_.payload == payload) {
      return;
    }
    message_ = {message_.version + 1, std::make_shared<const std::string>(std::move(payload))};
  }
  changed_.notify_all();
}

Feed::Message Feed::newest(std::uint64_t seen, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return message_.version > seen; });
  return message_;
}

}  // namespace pair::watch
