#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pair::bench {

// A program to talk to, line by line, over its standard input and output. Its standard error is discarded.
class Child {
 public:
  // words: as base::Command. Throws std::runtime_error if it cannot be started.
  explicit Child(const std::vector<std::string>& words);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Closes the child's input, which should make it end, and waits for it.
  ~Child();

  // None if the child has ended.
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
  void (*on_broken_pipe_)(int) = nullptr;  // the previous SIGPIPE handler
};

}  // namespace pair::bench
