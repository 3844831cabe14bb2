#pragma once

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "pair/cli/train_progress.h"

namespace pair::cli {

// One line that is written over on a terminal, a line every ten seconds elsewhere.
class ManyRunsDisplay {
 public:
  explicit ManyRunsDisplay(std::ostream& err) : err_(err), terminal_(isatty(STDERR_FILENO) != 0) {}

  void show(std::size_t done, std::size_t runs, std::int64_t taken, std::int64_t steps) {
    const auto now = std::chrono::steady_clock::now();
    if (first_taken_ < 0) {
      first_taken_ = taken;
      began_ = now;
    }
    if (now - drawn_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000)) &&
        done < runs) {
      return;
    }
    drawn_ = now;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    std::string line = std::to_string(done) + " of " + std::to_string(runs) + " runs done";
    if (taken > first_taken_) {
      const double left =
          seconds / static_cast<double>(taken - first_taken_) * static_cast<double>(steps - taken);
      line += ", " + clock_time(left) + " left";
    }
    err_ << (terminal_ ? "\r\033[K" + line : line + "\n") << std::flush;
  }

  void end() {
    if (terminal_ && first_taken_ >= 0) {
      err_ << "\r\033[K" << std::flush;
    }
  }

 private:
  std::ostream& err_;
  bool terminal_;
  std::int64_t first_taken_ = -1;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace pair::cli
