#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pair::runs::testing {

// The 'pair' program itself, as a user starts it, in a folder.
class Program {
 public:
  enum class Output { files, terminal };
  Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          Output output = Output::files);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  // Kills it where it still runs.
  ~Program();

  void signal(int number) const;
  [[nodiscard]] bool running();
  // The exit status, or 128 + the signal that ended it.
  int wait();

  // The output so far; err has all of it if the output is a terminal.
  [[nodiscard]] const std::string& out();
  [[nodiscard]] const std::string& err();

 private:
  void drain();
  void settle(int status);

  pid_t process_ = -1;
  int out_file_ = -1;
  int err_file_ = -1;
  int status_ = -1;
  bool terminal_ = false;
  std::string out_;
  std::string err_;
};

struct Answer {
  int status = 0;
  std::string out;
  std::string err;
};

// Waits for the program's end.
Answer end_of(Program& program);
// The answer of the program with these arguments, once it has ended.
Answer pair_in(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

}  // namespace pair::runs::testing
