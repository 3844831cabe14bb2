#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Programs that this process starts. No shell is involved: arguments are passed unchanged.

namespace pair::base {

// /dev/null, for a stream of Command.
inline constexpr int nowhere = -1;

struct Command {
  std::vector<std::string> words;     // the program, from PATH unless its name has a slash, and its arguments
  std::string program = {};           // the program, if it is not the first word
  std::filesystem::path folder = {};  // to start in; empty: this process's
  std::vector<std::string> variables = {};  // the environment, NAME=VALUE each; empty: this process's
  // Descriptors for its standard streams, or nowhere; none: this process's stream.
  std::optional<int> input = {};
  std::optional<int> output = {};
  std::optional<int> error = {};
};

// Starts a program. Call wait_for once for each. Throws std::runtime_error if it cannot be started.
pid_t start(const Command& command);

// Waits for the end: the exit status, or 128 + the signal that ended it; 0 is success.
int wait_for(pid_t process);

// The two ends of a pipe, which started programs do not inherit.
class Pipe {
 public:
  Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe();

  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_reading();
  void close_writing();
  // The caller closes what it takes.
  [[nodiscard]] int take_reading();
  [[nodiscard]] int take_writing();

 private:
  std::array<int, 2> ends_{-1, -1};
};

struct Finished {
  int status = 0;      // as of wait_for
  std::string output;  // standard output and standard error, interleaved
};

// Whether a program of that name is on PATH; a name with a slash is a path.
bool is_installed(const std::string& program);

// Runs a program in a folder and waits for its end. Its input is empty. Throws as start does.
Finished run_program(const std::vector<std::string>& words, const std::filesystem::path& folder);

}  // namespace pair::base
