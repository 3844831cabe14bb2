#pragma once

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "pair/cli/command.h"
#include "pair/cli/train_progress.h"
#include "pair/sweep/many_runs.h"

namespace pair::cli {

// On a terminal, one line that is overwritten; elsewhere, one line every ten seconds.
class ManyRunsDisplay {
 public:
  // `before`: finished runs that are not part of the reported progress.
  explicit ManyRunsDisplay(std::ostream& err, std::size_t before = 0)
      : err_(err), before_(before), terminal_(isatty(STDERR_FILENO) != 0) {}

  void show(const sweep::ManyRunsProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    // Another batch of runs begins.
    if (progress.steps_here < steps_here_) {
      began_ = now;
    }
    steps_here_ = progress.steps_here;
    const bool last = progress.done + progress.failed == progress.runs;
    if (now - drawn_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000)) &&
        !last) {
      return;
    }
    drawn_ = now;
    shown_ = true;
    const std::string line = sentence(progress, std::chrono::duration<double>(now - began_).count());
    err_ << (terminal_ ? "\r\033[K" + line : line + "\n") << std::flush;
  }

  // Prints a notice on its own line.
  void say(std::string_view sentence) {
    end();
    err_ << notice_line(sentence) << std::endl;
  }

  void end() {
    if (terminal_ && shown_) {
      err_ << "\r\033[K" << std::flush;
    }
  }

 private:
  // "3 of 20 runs done, 2 running, 1 failed, 0:42 left".
  [[nodiscard]] std::string sentence(const sweep::ManyRunsProgress& progress, double seconds) const {
    std::string line = std::to_string(before_ + progress.done) + " of " +
                       std::to_string(before_ + progress.runs) + " runs done";
    const auto add = [&line](std::size_t count, const char* what) {
      line += count > 0 ? ", " + std::to_string(count) + what : "";
    };
    add(progress.running, " running");
    add(progress.elsewhere, " running elsewhere");
    add(progress.failed, " failed");
    if (progress.steps_here > 0) {
      line += ", " +
              clock_time(seconds / static_cast<double>(progress.steps_here) *
                         static_cast<double>(progress.steps_left)) +
              " left";
    }
    return line;
  }

  std::ostream& err_;
  std::size_t before_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t steps_here_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace pair::cli
