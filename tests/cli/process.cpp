#include "tests/cli/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/support/become_pair.h"

namespace pair::cli::test {
namespace {

struct Pipe {
  int read_end;
  int write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  // Closed in programs started later: else one of them would keep this pipe open.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  return {ends[0], ends[1]};
}

void close_once(int& descriptor) {
  if (descriptor >= 0) {
    close(std::exchange(descriptor, -1));
  }
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (ssize_t count = 0; (count = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Conversation::Conversation(const std::vector<std::string>& arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  const Pipe in = make_pipe();
  const Pipe out = make_pipe();
  const Pipe err = make_pipe();
  std::fflush(nullptr);  // else the new process might write it again
  process_ = fork();
  if (process_ == 0) {
    dup2(in.read_end, STDIN_FILENO);
    dup2(out.write_end, STDOUT_FILENO);
    dup2(err.write_end, STDERR_FILENO);
    tests::become_pair(arguments);
  }
  close(in.read_end);
  close(out.write_end);
  close(err.write_end);
  to_ = in.write_end;
  from_ = out.read_end;
  errors_ = err.read_end;
  if (process_ < 0) {
    throw std::system_error(errno, std::generic_category(), "fork");
  }
}

Conversation::~Conversation() {
  close_once(to_);
  close_once(from_);
  close_once(errors_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
}

void Conversation::say(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count = write(to_, text.data(), text.size());
    if (count <= 0) {
      return;  // it stopped reading, which some tests are about
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string Conversation::hear_line() const {
  std::string line;
  while (line.empty() || line.back() != '\n') {
    pollfd waiting{from_, POLLIN, 0};
    char character = '\0';
    if (poll(&waiting, 1, 10000) <= 0 || read(from_, &character, 1) != 1) {
      return "";
    }
    line.push_back(character);
  }
  return line;
}

void Conversation::signal(int number) const {
  kill(process_, number);
}

void Conversation::stop_talking() {
  close_once(to_);
}

void Conversation::stop_listening() {
  close_once(from_);
}

Finished Conversation::wait() {
  Finished finished{};
  std::thread errors([this, &finished] { finished.err = read_all(errors_); });
  if (from_ >= 0) {
    finished.out = read_all(from_);
  }
  errors.join();
  int status = 0;
  waitpid(std::exchange(process_, -1), &status, 0);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

Finished run_pair(const std::vector<std::string>& arguments, std::string_view input) {
  Conversation conversation(arguments);
  // Beside the reading, since neither pipe holds much.
  std::thread talking([&conversation, input] {
    conversation.say(input);
    conversation.stop_talking();
  });
  Finished finished = conversation.wait();
  talking.join();
  return finished;
}

}  // namespace pair::cli::test
