#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace pair::watch {

// Serves a fixed number of connections at a time. If all workers are busy, the accepting thread serves the
// next connection; the server recognises this and refuses it.
class Workers : public httplib::TaskQueue {
 public:
  explicit Workers(std::size_t count);

  void enqueue(std::function<void()> connection) override;
  void shutdown() override;

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace pair::watch
