// docs/library.md: the Python loop that uses 'pair solve' as a pipe. tests/install builds its C++ example.

#include <gmock/gmock.h>

#include <fstream>

#include "tests/docs/documents.h"
#include "tests/support/scratch.h"

namespace pair::docs::testing {
namespace {

TEST(LibraryDocument, ShowsAPythonLoopThatWeighs) {
  if (shell("command -v python3", project()).status != 0) {
    GTEST_SKIP() << "there is no python3";
  }
  const std::vector<std::string> blocks = blocks_of(text_of("docs/library.md"), "python");
  ASSERT_EQ(blocks.size(), 1U);
  const tests::Scratch scratch;
  std::ofstream(scratch / "loop.py") << blocks.front()
                                     // Further steps, and a line that cannot be solved.
                                     << "print(weigh([2.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], [1, 1]))\n"
                                     << "solver.stdin.write('{}\\n')\n"
                                     << "print('error' in json.loads(solver.stdout.readline()))\n"
                                     << "print(weigh([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], [1, 1]))\n"
                                     << "solver.stdin.close()\nsolver.wait()\n";
  const Ended ended = shell("python3 loop.py", scratch.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "[0.0, 1.0]\n[1.0, 0.0]\nTrue\n[0.0, 1.0]\n");
}

}  // namespace
}  // namespace pair::docs::testing
