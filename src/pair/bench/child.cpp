#include "pair/bench/child.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "pair/base/process.h"

namespace pair::bench {

Child::Child(const std::vector<std::string>& words) {
  base::Pipe in;
  base::Pipe out;
  process_ =
      base::start({.words = words, .input = in.reading(), .output = out.writing(), .error = base::nowhere});
  to_.reset(::fdopen(in.take_writing(), "w"));
  from_.reset(::fdopen(out.take_reading(), "r"));
  // Writing to a child that ended must fail, not raise a signal.
  on_broken_pipe_ = std::signal(SIGPIPE, SIG_IGN);
}

Child::~Child() {
  to_.reset();
  std::signal(SIGPIPE, on_broken_pipe_);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<std::string> Child::ask(const std::string& line) {
  if (std::fputs((line + "\n").c_str(), to_.get()) < 0 || std::fflush(to_.get()) != 0) {
    return std::nullopt;
  }
  return read_line();
}

std::optional<std::string> Child::read_line() {
  std::string line;
  for (int c = 0; (c = std::fgetc(from_.get())) != EOF;) {
    if (c == '\n') {
      return line;
    }
    line.push_back(static_cast<char>(c));
  }
  return std::nullopt;
}

}  // namespace pair::bench
