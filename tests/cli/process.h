#pragma once

#include <string>
#include <string_view>
#include <vector>

// The built pair program, run as a user runs it.

namespace pair::cli::test {

struct Finished {
  int status;  // what it exited with; 128 + the signal where one ended it
  std::string out;
  std::string err;
};

// Runs 'pair ARGUMENTS...' with this standard input, to its end.
Finished run_pair(const std::vector<std::string>& arguments, std::string_view input = "");

// A pair program that runs while the test talks to it through pipes.
class Conversation {
 public:
  explicit Conversation(const std::vector<std::string>& arguments);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void say(std::string_view text) const;
  // The answer up to the end of the line; empty if none arrives within ten seconds.
  [[nodiscard]] std::string hear_line() const;
  void signal(int number) const;
  void stop_talking();    // closes its standard input
  void stop_listening();  // closes its standard output
  // Returns when the program has ended, for which it may need stop_talking first. out holds what was not
  // heard yet.
  Finished wait();

 private:
  int to_ = -1;
  int from_ = -1;
  int errors_ = -1;
  int process_ = -1;
};

}  // namespace pair::cli::test
