#include "pair/bench/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>

#include "pair/data/reason.h"

namespace pair::bench {
namespace {

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot create a pipe: " + data::reason(errno));
  }
  return ends;
}

}  // namespace

Child::Child(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the C API does not change it
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  const std::array<int, 2> in = new_pipe();
  const std::array<int, 2> out = new_pipe();
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDERR_FILENO);
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  const int error = errno;
  ::close(in[0]);
  ::close(out[1]);
  to_.reset(::fdopen(in[1], "w"));
  from_.reset(::fdopen(out[0], "r"));
  if (process_ < 0) {
    throw std::runtime_error("cannot start " + command.front() + ": " + data::reason(error));
  }
  // Writing to a child that ended must fail, not raise a signal.
  on_broken_pipe_ = std::signal(SIGPIPE, SIG_IGN);
}

Child::~Child() {
  to_.reset();
  std::signal(SIGPIPE, on_broken_pipe_);
  ::waitpid(process_, nullptr, 0);
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
