#include "pair/base/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "pair/base/reason.h"

namespace pair::base {
namespace {

class FileActions {
 public:
  explicit FileActions(const Command& command) {
    posix_spawn_file_actions_init(&actions_);
    if (!command.folder.empty()) {
      posix_spawn_file_actions_addchdir_np(&actions_, command.folder.c_str());
    }
    connect(command.input, STDIN_FILENO);
    connect(command.output, STDOUT_FILENO);
    connect(command.error, STDERR_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  void connect(std::optional<int> descriptor, int stream) {
    if (descriptor == nowhere) {
      posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_RDWR, 0);
    } else if (descriptor) {
      posix_spawn_file_actions_adddup2(&actions_, *descriptor, stream);
    }
  }

  posix_spawn_file_actions_t actions_{};
};

// As the C API takes them; it does not change them.
std::vector<char*> pointers_to(std::span<const std::string> texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_all(int descriptor) {
  std::string all;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got > 0) {
      all.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return all;
    }
  }
}

}  // namespace

pid_t start(const Command& command) {
  const FileActions actions(command);
  const std::vector<char*> words = pointers_to(command.words);
  const std::vector<char*> variables = pointers_to(command.variables);
  const std::string& program = command.program.empty() ? command.words.at(0) : command.program;
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, program.c_str(), actions.get(), nullptr, words.data(),
                                   command.variables.empty() ? environ : variables.data());
  if (error != 0) {
    throw std::runtime_error("cannot start " + program + ": " + reason(error));
  }
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) {
      throw std::runtime_error("cannot wait for a child process: " + reason(errno));
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Pipe::Pipe() {
  if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot create a pipe: " + reason(errno));
  }
}

Pipe::~Pipe() {
  close_reading();
  close_writing();
}

void Pipe::close_reading() {
  if (const int end = take_reading(); end >= 0) {
    ::close(end);
  }
}

void Pipe::close_writing() {
  if (const int end = take_writing(); end >= 0) {
    ::close(end);
  }
}

int Pipe::take_reading() {
  return std::exchange(ends_[0], -1);
}

int Pipe::take_writing() {
  return std::exchange(ends_[1], -1);
}

bool is_installed(const std::string& program) {
  const auto is_program = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) {
    return is_program(program);
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(std::filesystem::path(folder) / program)) {
      return true;
    }
  }
  return false;
}

Finished run_program(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  Pipe pipe;
  const pid_t process = start({.words = words,
                               .folder = folder,
                               .input = nowhere,
                               .output = pipe.writing(),
                               .error = pipe.writing()});
  pipe.close_writing();
  Finished finished;
  finished.output = read_all(pipe.reading());
  finished.status = wait_for(process);
  return finished;
}

}  // namespace pair::base
