#include "pair/watch/workers.h"

#include <utility>

namespace pair::watch {

Workers::Workers(std::size_t count) : idle_(count) {
  for (std::size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

void Workers::enqueue(std::function<void()> connection) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() < idle_) {
      waiting_.push_back(std::move(connection));
      connection = nullptr;
    }
  }
  if (connection) {
    connection();
  } else {
    changed_.notify_one();
  }
}

void Workers::shutdown() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      return;
    }
    const std::function<void()> connection = std::move(waiting_.back());
    waiting_.pop_back();
    --idle_;
    lock.unlock();
    connection();
    lock.lock();
    ++idle_;
  }
}

}  // namespace pair::watch
