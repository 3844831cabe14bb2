#include "pair/sweep/pace.h"

#include <algorithm>

namespace pair::sweep {

Pace::Pace(std::size_t most, Clock::time_point now) : most_(std::max<std::size_t>(most, 1)) {
  best_ = std::min(first, most_);
  begin(best_, now);
  settled_ = best_ == most_;
}

void Pace::begin(std::size_t allowed, Clock::time_point now) {
  allowed_ = allowed;
  begun_ = looking_ = false;
  since_ = now;
}

void Pace::limit(std::size_t most) {
  most_ = std::clamp<std::size_t>(most, 1, most_);
  best_ = std::min(best_, most_);
  if (allowed_ > most_) {
    allowed_ = best_;
    settled_ = true;
  }
}

void Pace::took(std::int64_t steps, std::size_t running, Clock::time_point now) {
  if (settled_) {
    return;
  }
  if (!begun_) {
    begun_ = running >= allowed_;
    since_ = now;
    return;
  }
  if (!looking_) {
    if (now - since_ >= settling) {
      looking_ = true;
      since_ = now;
      steps_then_ = steps;
    }
    return;
  }
  if (now - since_ < window) {
    return;
  }
  const double rate =
      static_cast<double>(steps - steps_then_) / std::chrono::duration<double>(now - since_).count();
  if (rate < gain * best_rate_) {
    allowed_ = best_;
    settled_ = true;
    return;
  }
  best_ = allowed_;
  best_rate_ = rate;
  settled_ = allowed_ == most_;
  begin(std::min(2 * allowed_, most_), now);
}

}  // namespace pair::sweep
