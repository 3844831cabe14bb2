#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/scratch.h"

// The pair that people start, without LibTorch, and the one that it becomes for what needs it. That signals,
// exit statuses and terminals are the same is seen by the tests of training, which start the first.

namespace pair::cli::test::hand_over_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The output of a shell command.
std::string shell(const std::string& command) {
  const auto close = [](std::FILE* file) { ::pclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> output(
      ::popen(("{ " + command + "; } 2>&1").c_str(), "r"), close);
  std::string text;
  std::array<char, 4096> block{};
  for (std::size_t count = 0; (count = std::fread(block.data(), 1, block.size(), output.get())) > 0;) {
    text.append(block.data(), count);
  }
  return text;
}

TEST(HandOver, ThePairThatPeopleStartIsNotLinkedWithTorch) {
  EXPECT_THAT(shell("ldd " PAIR_PROGRAM), AllOf(HasSubstr("libc.so"), Not(HasSubstr("torch"))));
  EXPECT_THAT(shell("ldd " PAIR_WITH_TORCH), HasSubstr("torch"));
}

TEST(HandOver, BothSayTheSameOfEveryCommand) {
  for (const std::string arguments : {"--help",
                                      "",
                                      "sweep --help",
                                      "paper --help",
                                      "bench --help",
                                      "list --help",
                                      "list",
                                      "train --help",
                                      "trian",
                                      "paper tabel1",
                                      "paper fig-failure --help",
                                      "paper fig-failure --seeds 3",
                                      "paper stall --nonsense",
                                      "paper prop1 extra",
                                      "list modles",
                                      "list models --json",
                                      "--nonsense train",
                                      "paper --nonsense table1 --seeds x",
                                      "train --nonsense",
                                      "train solve",
                                      "predict",
                                      "predict --help",
                                      "score --nonsense",
                                      "export nothing"}) {
    const std::string status = "; echo status $?";
    EXPECT_EQ(shell(PAIR_PROGRAM " " + arguments + status), shell(PAIR_WITH_TORCH " " + arguments + status))
        << "pair " << arguments;
  }
}

TEST(HandOver, SaysWhichProgramIsMissing) {
  const tests::Scratch scratch(fs::temp_directory_path());
  fs::create_directory(scratch / "bin");
  fs::copy_file(PAIR_PROGRAM, scratch / "bin" / "pair");
  const std::string alone = (scratch / "bin" / "pair").string();
  EXPECT_THAT(shell(alone + " train; echo status $?"),
              AllOf(HasSubstr("pair: cannot start '" + scratch.path().string()),
                    HasSubstr("the part of pair that trains: No such file or directory\nstatus 1\n")));
  EXPECT_THAT(shell(alone + " list solvers"), HasSubstr("epo"));
  EXPECT_THAT(shell(alone + " paper fig-concave --help"), HasSubstr("Usage: pair paper fig-concave"));
}

}  // namespace
}  // namespace pair::cli::test::hand_over_test
