#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pair::bench {

// A program to talk to, line by line, over its standard input and output. What it writes to standard error is
// shown nowhere.
class Child {
 public:
  // Finds the program on PATH; no shell is involved. Throws std::runtime_error where no process can be
  // started; a program that is not there says nothing and ends.
  explicit Child(const std::vector<std::string>& command);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Closes its input, on which it should end, and waits for it.
  ~Child();

  // Nothing where it has ended.
  std::optional<std::string> ask(const std::string& line);
  std::optional<std::string> read_line();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  File to_;
  File from_;
  pid_t process_ = -1;
  void (*on_broken_pipe_)(int) = nullptr;  // what was done on SIGPIPE, ignored meanwhile
};

}  // namespace pair::bench
