#include "tests/support/become_pair.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>

#ifdef PAIR_TESTS_FORK
#include "pair/cli/program.h"
#endif

namespace pair::tests {
namespace {

#ifdef PAIR_TESTS_FORK
bool can_be_called(const std::vector<std::string>& arguments) {
  const char* const start = std::getenv("PAIR_TEST_START");
  if (start == nullptr || start != std::string_view("fork") || arguments.empty()) {
    return false;
  }
  constexpr std::array commands = {"train", "sweep", "demo", "predict", "score", "export", "paper", "list"};
  return std::ranges::find(commands, arguments.front()) != commands.end() &&
         std::ranges::none_of(arguments, [](const std::string& argument) {
           return argument.starts_with("--ranks") || argument.starts_with("--launcher");
         });
}

#endif

}  // namespace

void become_pair(const std::vector<std::string>& arguments) noexcept {
  // Not those of a shell in the background, or of an earlier test.
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) {
    std::signal(number, SIG_DFL);
  }
  // A copy of the other end of a pipe would keep it open.
  ::closefrom(STDERR_FILENO + 1);
  std::vector<std::string> words = {PAIR_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
#ifdef PAIR_TESTS_FORK
  if (can_be_called(arguments)) {
    cli::end_process(cli::run_standard(static_cast<int>(words.size()), argv.data()));
  }
#endif
  ::execv(PAIR_PROGRAM, argv.data());
  ::_exit(127);
}

}  // namespace pair::tests
