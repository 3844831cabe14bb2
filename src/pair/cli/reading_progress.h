#pragma once

#include <chrono>
#include <cstddef>
#include <ostream>

namespace pair::cli {

// For select::ReadOptions::progress: prints a line every two seconds.
class ReadingProgress {
 public:
  explicit ReadingProgress(std::ostream& err) : err_(err) {}
  void operator()(std::size_t done, std::size_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ >= std::chrono::seconds(2)) {
      shown_ = now;
      err_ << "read " << done << " of " << all << " runs\n" << std::flush;
    }
  }

 private:
  std::ostream& err_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

}  // namespace pair::cli
