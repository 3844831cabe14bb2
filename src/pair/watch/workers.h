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

// So many connections at a time. Where all workers have one, the next is served by the thread that accepted
// it, which is how its server knows to refuse it.
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
