// Every command of docs/sweeps.md, in its order, in one folder.

#include <gmock/gmock.h>

#include <fstream>
#include <iomanip>
#include <sstream>

#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"

namespace pair::sweep::documentation_test {
namespace {

TEST(SweepDocumentation, ShowsCommandsThatWork) {
  const runs::testing::Scratch scratch;
  const std::filesystem::path root = std::filesystem::path(PAIR_TEST_DATA).parent_path().parent_path();
  std::ifstream documentation(root / "docs" / "sweeps.md");
  std::filesystem::copy_file(root / "examples/table/patients.csv", scratch / "patients.csv");
  int commands = 0;
  for (std::string line; std::getline(documentation, line);) {
    if (!line.starts_with("    pair ")) {
      continue;
    }
    ++commands;
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string word; words >> std::quoted(word);) {
      arguments.push_back(word);
    }
    arguments.erase(arguments.begin());
    // The documentation's own sweep is of a size worth having; here a few digits and steps do.
    if (arguments[1] == "launch" && line.find("--datasets") != std::string::npos) {
      arguments.insert(arguments.end(), {"--steps", "6", "--set", "train_digits=100", "test_digits=50",
                                         "width=4", "eval_every=2"});
    }
    if (arguments[1] == "launch" && line.find("--data ") != std::string::npos) {
      arguments.insert(arguments.end(), {"--steps", "6", "--set", "width=4", "pretrain=3", "eval_every=2"});
    }
    runs::testing::Program program(arguments, scratch.path());
    EXPECT_EQ(program.wait(), 0) << line << "\n" << program.err();
    EXPECT_NE(program.out(), "") << line;
  }
  EXPECT_GE(commands, 7);
}

}  // namespace
}  // namespace pair::sweep::documentation_test
