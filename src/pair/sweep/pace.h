#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// How many runs at once pay on a device that they share, found while they run: four, then twice as many for
// as long as the steps a second grow by a seventh, then the number that was best; never more than there is
// room for.

namespace pair::sweep {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // most: the number never exceeded, at least 1.
  Pace(std::size_t most, Clock::time_point now);

  [[nodiscard]] std::size_t allowed() const { return allowed_; }
  [[nodiscard]] bool settled() const { return settled_; }

  // That so many steps were taken in all, with so many runs at this moment. Runs that are just being made are
  // waited for, and a look is taken over `window`.
  void took(std::int64_t steps, std::size_t running, Clock::time_point now);

  // That there is no room for more than so many, at least 1.
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
  bool begun_ = false;  // so many runs as allowed
  bool looking_ = false;
  Clock::time_point since_;
  std::int64_t steps_then_ = 0;
};

}  // namespace pair::sweep
