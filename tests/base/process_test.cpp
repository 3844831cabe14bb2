#include "pair/base/process.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/scratch.h"

namespace pair::base::process_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tests::Scratch;

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
  EXPECT_THAT([&] { (void)run_program({"no-such-program"}, scratch.path()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot start no-such-program: No such file")));
}

// The standard output of the started program.
std::string said(Command command) {
  Pipe pipe;
  command.output = pipe.writing();
  const pid_t process = start(command);
  pipe.close_writing();
  std::string text;
  std::array<char, 256> buffer{};
  for (ssize_t got = 0; (got = ::read(pipe.reading(), buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  EXPECT_EQ(wait_for(process), 0);
  return text;
}

TEST(Start, GivesTheEnvironmentAndTheFirstWord) {
  EXPECT_EQ(
      said({.words = {"sh", "-c", "echo $COLOUR"}, .variables = {"COLOUR=green", "PATH=/bin:/usr/bin"}}),
      "green\n");
  EXPECT_EQ(said({.words = {"another name", "-c", "echo $0"}, .program = "/bin/sh"}), "another name\n");
}

TEST(Start, ConnectsStreams) {
  Pipe in;
  ASSERT_EQ(::write(in.writing(), "a line\n", 7), 7);
  in.close_writing();
  EXPECT_EQ(said({.words = {"cat"}, .input = in.reading()}), "a line\n");
  EXPECT_EQ(said({.words = {"cat"}, .input = nowhere}), "");
  EXPECT_EQ(said({.words = {"sh", "-c", "echo lost >&2; echo kept"}, .error = nowhere}), "kept\n");
}

TEST(IsInstalled, LooksAtProgramsOnThePath) {
  const Scratch scratch;
  std::ofstream(scratch / "tool") << "#!/bin/sh\n";
  std::filesystem::permissions(scratch / "tool", std::filesystem::perms::owner_all);
  std::ofstream(scratch / "text") << "no program";
  std::filesystem::create_directory(scratch / "folder");
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", scratch.path().c_str(), 1);
  EXPECT_TRUE(is_installed("tool"));
  EXPECT_TRUE(is_installed((scratch / "tool").string()));
  EXPECT_TRUE(is_installed(std::filesystem::relative(scratch / "tool").string()));
  EXPECT_FALSE(is_installed((scratch / "text").string()));
  EXPECT_FALSE(is_installed("text"));
  EXPECT_FALSE(is_installed("folder"));
  EXPECT_FALSE(is_installed("absent"));
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace pair::base::process_test
