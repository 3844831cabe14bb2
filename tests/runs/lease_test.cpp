// Locks of file systems without flock: real processes that hold, lose and take over leases.

#include "pair/runs/lease.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing::lease_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr LeaseTimes quick{.beat = 20ms, .patience = 400ms};
constexpr LeaseTimes slow{.beat = 20ms,
                          .patience = 2s};  // for leases that must not seem abandoned on a busy machine

std::string text_in(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// The lease of a process that this host cannot ask whether it runs.
void make_foreign(const std::filesystem::path& lease) {
  std::string text = text_in(lease);
  text.replace(text.find('\n') + 1, 4, "else");
  std::ofstream(lease) << text;
}

// A process that holds the lease of a file, and beats.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& file) : process_(::fork()) {
    if (process_ == 0) {
      const std::unique_ptr<Lease> lease = Lease::try_take(file, quick);
      while (lease) {
        ::pause();
      }
      ::_exit(1);
    }
    while (text_in(Lease::path_of(file)).empty()) {
      std::this_thread::sleep_for(5ms);
    }
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { kill(); }

  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
    }
  }
  void signal(int number) const { ::kill(process_, number); }

 private:
  pid_t process_;
};

class LeaseVariables {
 public:
  explicit LeaseVariables(const char* seconds) {
    ::setenv("PAIR_LOCKS", "lease", 1);
    ::setenv("PAIR_LEASE_SECONDS", seconds, 1);
  }
  LeaseVariables(const LeaseVariables&) = delete;
  LeaseVariables& operator=(const LeaseVariables&) = delete;
  ~LeaseVariables() {
    ::unsetenv("PAIR_LOCKS");
    ::unsetenv("PAIR_LEASE_SECONDS");
  }
};

TEST(Lease, IsHeldByOneAtATimeAndGivenBack) {
  const Scratch scratch;
  const auto file = scratch / "file";
  std::unique_ptr<Lease> first = Lease::try_take(file, quick);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->held());
  EXPECT_EQ(Lease::try_take(file, quick), nullptr);
  EXPECT_TRUE(Lease::is_taken(file, quick));
  first.reset();
  EXPECT_FALSE(Lease::is_taken(file, quick));
  EXPECT_NE(Lease::try_take(file, quick), nullptr);
  EXPECT_FALSE(std::filesystem::exists(Lease::path_of(file)));
}

TEST(Lease, OfALivingProcessOutlastsThePatienceOfOthers) {
  const Scratch scratch;
  const Holder holder(scratch / "file");
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(Lease::try_take(scratch / "file", slow), nullptr);
    std::this_thread::sleep_for(100ms);
  }
}

TEST(Lease, OfAKilledProcessOnThisHostIsTakenOverAtOnce) {
  const Scratch scratch;
  Holder holder(scratch / "file");
  EXPECT_EQ(Lease::try_take(scratch / "file", quick), nullptr);
  holder.kill();
  const std::unique_ptr<Lease> taken = Lease::try_take(scratch / "file", quick);
  ASSERT_NE(taken, nullptr);
  EXPECT_TRUE(taken->held());
}

TEST(Lease, OfAKilledProcessElsewhereIsTakenOverAfterItHasStoodStill) {
  const Scratch scratch;
  const auto file = scratch / "file";
  {
    Holder holder(file);
    holder.kill();
  }
  make_foreign(Lease::path_of(file));
  EXPECT_EQ(Lease::try_take(file, quick), nullptr);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(Lease::try_take(file, quick), nullptr);
  std::this_thread::sleep_for(400ms);
  EXPECT_NE(Lease::try_take(file, quick), nullptr);
}

TEST(Lease, ThatStoodStillBeforeItBeatAgainIsNotTakenOver) {
  const Scratch scratch;
  const auto file = scratch / "file";
  {
    Holder holder(file);
    holder.kill();
  }
  make_foreign(Lease::path_of(file));
  EXPECT_EQ(Lease::try_take(file, slow), nullptr);
  std::this_thread::sleep_for(1500ms);
  std::string text = text_in(Lease::path_of(file));
  text[text.size() - 2] = '9';  // the counter
  std::ofstream(Lease::path_of(file)) << text;
  EXPECT_EQ(Lease::try_take(file, slow), nullptr);
  std::this_thread::sleep_for(1000ms);
  EXPECT_EQ(Lease::try_take(file, slow), nullptr) << "2.5 s after the first look, 1 s after the beat";
}

TEST(Lease, IsTakenOverByOneOfMany) {
  const Scratch scratch;
  const auto file = scratch / "file";
  {
    Holder holder(file);
    holder.kill();
  }
  std::vector<pid_t> others;
  for (int i = 0; i < 8; ++i) {
    others.push_back(::fork());
    if (others.back() == 0) {
      const std::unique_ptr<Lease> lease = Lease::try_take(file, quick);
      std::this_thread::sleep_for(1s);
      ::_exit(lease && lease->held() ? 1 : 0);
    }
  }
  int owners = 0;
  for (const pid_t other : others) {
    int status = 0;
    ::waitpid(other, &status, 0);
    owners += WEXITSTATUS(status);
  }
  EXPECT_EQ(owners, 1);
}

TEST(Lease, OfASuspendedProcessIsLostToTheOneThatTookItOver) {
  const Scratch scratch;
  const auto file = scratch / "file";
  const std::unique_ptr<Lease> first = Lease::try_take(file, {.beat = 10s, .patience = 20s});
  make_foreign(Lease::path_of(file));  // it does not beat meanwhile
  EXPECT_EQ(Lease::try_take(file, quick), nullptr);
  std::this_thread::sleep_for(450ms);
  const std::unique_ptr<Lease> second = Lease::try_take(file, quick);
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(first->held());
  std::this_thread::sleep_for(100ms);
  EXPECT_TRUE(second->held());
}

TEST(Lease, IsTheLockOfAFileIfTheVariableSaysSo) {
  const Scratch scratch;
  const LeaseVariables lease("1");
  File first(scratch / "file");
  EXPECT_TRUE(first.try_lock());
  EXPECT_TRUE(std::filesystem::exists(Lease::path_of(scratch / "file")));
  File second(scratch / "file");
  EXPECT_TRUE(second.is_locked());
  EXPECT_FALSE(second.try_lock());
  first.write(0, "a\n");
  std::filesystem::remove(Lease::path_of(scratch / "file"));
  EXPECT_TRUE(second.try_lock());
  EXPECT_THAT([&] { first.write(2, "b\n"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("another process has taken over")));
  second.write(2, "c\n");
  EXPECT_EQ(text_in(scratch / "file"), "a\nc\n");
}

// The process that took over is training there: it must not find a failure that is not its own.
TEST(Lease, ThatIsLostKeepsARunFromBeingMarkedAsFailed) {
  const Scratch scratch;
  const LeaseVariables lease("1");
  const RunSpec spec = resolve("cmnist", "erm");
  RunDirectory first(scratch / folder_name(spec), spec);
  const std::filesystem::path results = results_file(scratch / folder_name(spec));
  std::filesystem::remove(Lease::path_of(results));
  const RunDirectory second(scratch / folder_name(spec), spec);
  first.fail("no memory");
  EXPECT_FALSE(std::filesystem::exists(failed_file(scratch / folder_name(spec))));
}

// Opening the pipe used to wait for its other end.
TEST(Lease, ThatIsAPipeOrAFolderIsRefusedWithoutWaiting) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo(Lease::path_of(scratch / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(Lease::path_of(scratch / "folder"));
  for (const char* const name : {"pipe", "folder"}) {
    const auto refused = ThrowsMessage<std::runtime_error>("cannot read " + (scratch / name).string() +
                                                           ".lease: it is not a regular file");
    EXPECT_THAT([&] { (void)Lease::try_take(scratch / name, quick); }, refused);
    EXPECT_THAT([&] { (void)Lease::is_taken(scratch / name, quick); }, refused);
  }
}

TEST(Lease, ThatAPipeReplacesIsLost) {
  const Scratch scratch;
  const std::unique_ptr<Lease> lease = Lease::try_take(scratch / "file", quick);
  ASSERT_NE(lease, nullptr);
  std::filesystem::remove(Lease::path_of(scratch / "file"));
  ASSERT_EQ(::mkfifo(Lease::path_of(scratch / "file").c_str(), 0600), 0);
  std::this_thread::sleep_for(100ms);  // it beats
  EXPECT_FALSE(lease->held());
}

TEST(Lease, RefusesOtherValuesOfItsVariables) {
  const Scratch scratch;
  File file(scratch / "file");
  {
    const LeaseVariables lease("0");
    EXPECT_THAT([&] { (void)file.try_lock(); },
                ThrowsMessage<std::invalid_argument>(
                    HasSubstr("PAIR_LEASE_SECONDS: expected an integer from 1 to 86400, got '0'")));
    ::setenv("PAIR_LOCKS", "none", 1);
    EXPECT_THAT(
        [&] { (void)file.try_lock(); },
        ThrowsMessage<std::invalid_argument>(HasSubstr("PAIR_LOCKS: expected flock or lease, got 'none'")));
  }
  EXPECT_TRUE(file.try_lock());
}

}  // namespace
}  // namespace pair::runs::testing::lease_test
