#include "pair/bench/synthetic_sweep.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "tests/support/scratch.h"

namespace pair::bench::synthetic_sweep_test {
namespace {

namespace fs = std::filesystem;

constexpr BenchSweepArguments small{.runs = 3, .records = 2, .repeats = 1};

TEST(BenchSweep, IsGoneAfterwards) {
  std::ostringstream said;
  fs::path where;
  with_bench_sweep(small, said, [&](const fs::path& folder) {
    where = folder;
    EXPECT_TRUE(fs::exists(folder / "run100002/results.jsonl"));
  });
  EXPECT_FALSE(fs::exists(where));
}

// A benchmark process that is stopped.
class Stopped : public testing::TestWithParam<int> {};

TEST_P(Stopped, LeavesNothingBehind) {
  const tests::Scratch scratch;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", scratch.path().c_str(), 1);
    std::ostringstream said;
    with_bench_sweep(small, said, [&](const fs::path&) {
      (void)!::write(ready[1], "1", 1);
      for (;;) {
        ::pause();
      }
    });
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(fs::is_empty(scratch.path()));
  ::kill(child, GetParam());
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WTERMSIG(status), GetParam()) << "it ends by the signal, as others do";
  // A separate process deletes the folder as soon as the other has ended.
  for (int left = 1000; left > 0 && !fs::is_empty(scratch.path()); --left) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

INSTANTIATE_TEST_SUITE_P(BenchSweep, Stopped, testing::Values(SIGINT, SIGTERM, SIGKILL),
                         [](const auto& signal) {
                           return signal.param == SIGINT    ? "ByCtrlC"
                                  : signal.param == SIGTERM ? "ByTerm"
                                                            : "ByKill";
                         });

}  // namespace
}  // namespace pair::bench::synthetic_sweep_test
