#pragma once

#include <cstddef>
#include <streambuf>
#include <string>

namespace pair::cli {

// Reads lines up to a maximum length: std::getline would fill the memory with a file without line ends. The
// last line does not need a line end.
class LineReader {
 public:
  LineReader(std::streambuf& source, std::size_t longest) : source_(source), longest_(longest) {}

  enum class Found { line, too_long, end };
  // A line that is too long is read to its end and dropped; line() then has its first bytes.
  Found next();

  [[nodiscard]] const std::string& line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }  // of line(), from 1

 private:
  std::streambuf& source_;
  std::size_t longest_;
  std::string line_;
  std::size_t number_ = 0;
};

}  // namespace pair::cli
