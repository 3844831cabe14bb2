#include "pair/bench/temporary_folder.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace pair::bench {

TemporaryFolder::TemporaryFolder() {
  start_janitor();
}

void TemporaryFolder::start_janitor() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return;  // the folder is still deleted, unless the process is stopped
  }
  janitor_ = ::fork();
  if (janitor_ == 0) {
    ::setsid();  // Ctrl-C must not reach the child
    ::close(ends[1]);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      ::close(standard);
    }
    char byte = 0;
    while (::read(ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    std::error_code ignored;
    std::filesystem::remove_all(path(), ignored);
    ::_exit(0);
  }
  ::close(ends[0]);
  alive_ = ends[1];
}

TemporaryFolder::~TemporaryFolder() {
  if (alive_ >= 0) {
    ::close(alive_);
  }
  if (janitor_ > 0) {
    ::waitpid(janitor_, nullptr, 0);
  }
}

}  // namespace pair::bench
