#include "pair/data/process.h"

#include <gmock/gmock.h>

#include "tests/data/fixtures.h"

namespace pair::data::testing::process_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(RunProgram, GivesStatusAndBothOutputs) {
  const Scratch scratch;
  const Finished finished = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"}, scratch.path());
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.output, "out\nerr\n");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, scratch.path()).status, 128 + 9);
}

TEST(RunProgram, RunsInTheFolderWithNothingToRead) {
  const Scratch scratch;
  EXPECT_EQ(run_program({"sh", "-c", "cat; touch here"}, scratch.path()).status, 0);
  EXPECT_TRUE(std::filesystem::exists(scratch / "here"));
}

TEST(RunProgram, PassesArgumentsAsTheyAre) {
  const Scratch scratch;
  const std::string odd = R"($(touch x) ; 'a' "b" * \)";
  EXPECT_EQ(run_program({"printf", "%s", odd}, scratch.path()).output, odd);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(RunProgram, SaysWhichProgramIsMissing) {
  const Scratch scratch;
  EXPECT_THAT([&] { run_program({"no-such-program"}, scratch.path()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot start no-such-program")));
}

TEST(IsInstalled, LooksAtProgramsOnThePath) {
  const Scratch scratch;
  write_program(scratch / "tool", "#!/bin/sh\n");
  write(scratch / "text", bytes_of("no program"));
  std::filesystem::create_directory(scratch / "folder");
  const Variable path("PATH", scratch.path().c_str());
  EXPECT_TRUE(is_installed("tool"));
  EXPECT_FALSE(is_installed("text"));
  EXPECT_FALSE(is_installed("folder"));
  EXPECT_FALSE(is_installed("absent"));
}

}  // namespace
}  // namespace pair::data::testing::process_test
