// README.md: its commands, its diff and its length. links_test.cpp checks its links.

#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "tests/docs/documents.h"
#include "tests/support/scratch.h"

namespace pair::docs::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Readme, ShowsCommandsThatWork) {
  const tests::Scratch scratch;
  make_images(scratch / "PACS");
  fs::create_directory_symlink(project() / "examples", scratch / "examples");
  const std::string readme = text_of("README.md");
  std::vector<std::string> commands = commands_of(readme, "build/release/bin/pair");
  const std::vector<std::string> piped = commands_of(readme, "echo");
  commands.insert(commands.end(), piped.begin(), piped.end());
  EXPECT_EQ(commands.size(), 5U);
  for (std::string command : commands) {
    command = replaced(command, "build/release/bin/pair", "pair");
    // The README's runs are of the full size; here few digits, images and steps are enough.
    if (command.find("--dataset cmnist") != std::string::npos) {
      command += " --steps 6 --set train_digits=100 test_digits=50 width=4 eval_every=3";
    } else if (command.find("--data PACS") != std::string::npos) {
      command += " batch=2 pretrain=2 eval_every=3 --steps 4";
    } else if (command.find("--data ") != std::string::npos) {
      command += " --steps 6 --set width=4 pretrain=3 eval_every=3";
    }
    const Ended ended = shell(command, scratch.path());
    EXPECT_EQ(ended.status, 0) << command << "\n" << ended.err;
    if (command.find("solve") != std::string::npos) {
      EXPECT_THAT(readme, HasSubstr("    " + ended.out)) << "its quoted answer";
    }
  }
}

// The diff, applied to one file of the examples, gives the other. CTest builds and runs both.
TEST(Readme, ShowsADiffThatTurnsThePlainLoopIntoPair) {
  const std::vector<std::string> diffs = blocks_of(text_of("README.md"), "diff");
  ASSERT_EQ(diffs.size(), 1U);
  const auto code_of = [](const char* path) {
    const std::string text = text_of(path);
    return text.substr(text.find("\n\n"));  // after the comment that says what the file is
  };
  std::string changed = code_of("examples/erm_loop.cpp");
  std::istringstream lines(diffs.front() + "@@\n");
  std::string before;
  std::string after;
  for (std::string line; std::getline(lines, line);) {
    ASSERT_FALSE(line.empty()) << "a line of a diff starts with a space, '+', '-' or '@'";
    if (line.front() == '@') {
      ASSERT_NE(changed.find(before), std::string::npos) << "erm_loop.cpp does not have\n" << before;
      changed = replaced(changed, before, after);
      before.clear();
      after.clear();
      continue;
    }
    before += line.front() == '+' ? "" : line.substr(1) + "\n";
    after += line.front() == '-' ? "" : line.substr(1) + "\n";
  }
  EXPECT_EQ(changed, code_of("examples/pair_loop.cpp"));
}

TEST(Readme, HasFewerThan150Lines) {
  const std::string readme = text_of("README.md");
  EXPECT_LT(std::count(readme.begin(), readme.end(), '\n'), 150);
}

}  // namespace
}  // namespace pair::docs::testing
