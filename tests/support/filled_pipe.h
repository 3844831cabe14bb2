#pragma once

#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pair::tests {

// A pipe that holds a text of a few kilobytes and then ends, as '<(...)' of a shell makes one. It can be read
// once.
class FilledPipe {
 public:
  explicit FilledPipe(std::string_view text) {
    if (::pipe(ends_.data()) != 0 ||
        ::write(ends_[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("cannot make a pipe");
    }
    ::close(ends_[1]);
  }
  FilledPipe(const FilledPipe&) = delete;
  FilledPipe& operator=(const FilledPipe&) = delete;
  ~FilledPipe() { ::close(ends_[0]); }

  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace pair::tests
