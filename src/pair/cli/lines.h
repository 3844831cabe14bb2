#pragma once

#include <cstddef>
#include <streambuf>
#include <string>

namespace pair::cli {

// Lines of a stream, one after another, none longer than a limit: std::getline would fill the memory with
// a file that has no line ends. The last line need not end with one.
class LineReader {
 public:
  LineReader(std::streambuf& source, std::size_t longest) : source_(source), longest_(longest) {}

  enum class Found { line, too_long, end };
  // What is too long is read to its end and dropped; line() then holds its first bytes.
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
