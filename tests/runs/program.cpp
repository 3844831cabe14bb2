#include "tests/runs/program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "tests/support/become_pair.h"

namespace pair::runs::testing {
namespace {

[[noreturn]] void become(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  if (::chdir(folder.c_str()) != 0) {
    ::_exit(127);
  }
  std::signal(SIGXFSZ, SIG_DFL);  // which a FileLimit ignores in the tests
  tests::become_pair(arguments);
}

std::string whole(int file) {
  std::string text;
  char block[4096];
  for (ssize_t got = 0; (got = ::pread(file, block, sizeof block, static_cast<off_t>(text.size()))) > 0;) {
    text.append(block, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 Output output)
    : terminal_(output == Output::terminal) {
  std::fflush(nullptr);  // else the new process might write it again
  if (terminal_) {
    struct winsize size {};
    size.ws_row = 24;
    size.ws_col = 120;
    process_ = ::forkpty(&err_file_, nullptr, nullptr, &size);
    if (process_ == 0) {
      become(arguments, folder);
    }
    ::fcntl(err_file_, F_SETFL, O_NONBLOCK);
  } else {
    out_file_ = ::memfd_create("out", 0);
    err_file_ = ::memfd_create("err", 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(out_file_, STDOUT_FILENO);
      ::dup2(err_file_, STDERR_FILENO);
      become(arguments, folder);
    }
  }
  if (process_ < 0) {
    throw std::runtime_error("cannot start " PAIR_PROGRAM);
  }
}

Program::~Program() {
  if (running()) {
    signal(SIGKILL);
    wait();
  }
  ::close(out_file_);
  ::close(err_file_);
}

void Program::signal(int number) const {
  ::kill(process_, number);
}

void Program::settle(int status) {
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool Program::running() {
  int status = 0;
  if (status_ < 0 && ::waitpid(process_, &status, WNOHANG) == process_) {
    settle(status);
  }
  return status_ < 0;
}

int Program::wait() {
  while (terminal_ && running()) {
    struct pollfd ready {
      err_file_, POLLIN, 0
    };
    ::poll(&ready, 1, 20);
    drain();  // else the program waits for the terminal
  }
  int status = 0;
  if (status_ < 0 && ::waitpid(process_, &status, 0) == process_) {
    settle(status);
  }
  return status_;
}

void Program::drain() {
  if (!terminal_) {
    out_ = whole(out_file_);
    err_ = whole(err_file_);
    return;
  }
  char block[4096];
  for (ssize_t got = 0; (got = ::read(err_file_, block, sizeof block)) > 0;) {
    err_.append(block, static_cast<std::size_t>(got));
  }
}

const std::string& Program::out() {
  drain();
  return out_;
}

const std::string& Program::err() {
  drain();
  return err_;
}

Answer end_of(Program& program) {
  const int status = program.wait();
  return {status, program.out(), program.err()};
}

Answer pair_in(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  Program program(arguments, folder);
  return end_of(program);
}

}  // namespace pair::runs::testing
