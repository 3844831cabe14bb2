#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Finds the number of concurrent runs with the highest throughput on a shared device while they run: starts
// with four, doubles as long as steps per second grow by at least a seventh, then keeps the best number.
// Never exceeds the limit.

namespace pair::sweep {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // most: the upper limit, at least 1.
  Pace(std::size_t most, Clock::time_point now);

  [[nodiscard]] std::size_t allowed() const { return allowed_; }
  [[nodiscard]] bool settled() const { return settled_; }

  // Reports the total number of steps taken and the number of active runs. Runs that are starting are waited
  // for, and throughput is measured over `window`.
  void took(std::int64_t steps, std::size_t running, Clock::time_point now);

  // Limits the number of runs, at least 1.
  void limit(std::size_t most);

  static constexpr std::chrono::milliseconds settling{300};
  static constexpr std::chrono::milliseconds window{800};
  static constexpr double gain = 1.15;
  static constexpr std::size_t first = 4;

 private:
  void begin(std::size_t allowed, Clock::time_point now);

  std::size_t most_;
  std::size_t allowed_ = first;
  std::size_t best_ = first;
  double best_rate_ = 0.0;
  bool settled_ = false;
  bool begun_ = false;  // whether as many runs as allowed have started
  bool looking_ = false;
  Clock::time_point since_;
  std::int64_t steps_then_ = 0;
};

}  // namespace pair::sweep
