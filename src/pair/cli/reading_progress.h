#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace pair::cli {

// Progress of work that may take long: prints a line every two seconds, and nothing if the work takes less.
class TimedLines {
 public:
  explicit TimedLines(std::ostream& err, std::chrono::milliseconds every = std::chrono::seconds(2))
      : err_(err), every_(every) {}

  // "scored 300 of 12000 samples", without "of" if `all` is 0.
  void count(std::string_view done_what, std::string_view things, std::int64_t done, std::int64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < every_) {
      return;
    }
    shown_ = now;
    err_ << done_what << ' ' << done;
    if (all > 0) {
      err_ << " of " << all;
    }
    err_ << ' ' << things << '\n' << std::flush;
  }

 private:
  std::ostream& err_;
  std::chrono::milliseconds every_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

// For select::ReadOptions::progress.
class ReadingProgress {
 public:
  explicit ReadingProgress(std::ostream& err) : lines_(err) {}
  void operator()(std::size_t done, std::size_t all) {
    lines_.count("read", "runs", static_cast<std::int64_t>(done), static_cast<std::int64_t>(all));
  }

 private:
  TimedLines lines_;
};

}  // namespace pair::cli
