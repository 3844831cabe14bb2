// The effect of a crash, or of a full disk, on a run's folder: calls that change files are counted here, and
// at each of them the process dies or the call fails. Only calls by the program itself are affected; these
// definitions replace the C library's.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"

namespace {

enum class Fault { none, death, full_disk };
struct Plan {
  Fault fault = Fault::none;
  int calls_left = 0;  // until the fault; 0: a disk that is full from the start
};
Plan plan;
bool full = false;

// Whether the fault comes with this call; death does not return.
bool fault_now() {
  if (plan.fault == Fault::none || --plan.calls_left != 0) {
    return false;
  }
  full = plan.fault == Fault::full_disk;
  return true;
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

int refused() {
  if (!full) {
    die();
  }
  errno = ENOSPC;
  return -1;
}

}  // namespace

extern "C" {

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  if (fault_now()) {
    const auto half = static_cast<ssize_t>(::syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset));
    return full && half > 0 ? half : refused();
  }
  return full ? refused() : ::syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

// To files; what goes to pipes and terminals is left alone.
ssize_t write(int descriptor, const void* bytes, size_t count) {
  struct stat status {};
  const bool file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (file && fault_now()) {
    const auto half = static_cast<ssize_t>(::syscall(SYS_write, descriptor, bytes, count / 2));
    return full && half > 0 ? half : refused();
  }
  return file && full ? refused() : ::syscall(SYS_write, descriptor, bytes, count);
}

int fsync(int descriptor) {
  return fault_now() ? refused() : static_cast<int>(::syscall(SYS_fsync, descriptor));
}

int rename(const char* from, const char* to) noexcept {
  return fault_now() ? refused() : static_cast<int>(::syscall(SYS_rename, from, to));
}

// A full disk still lets files shrink.
int ftruncate(int descriptor, off_t size) noexcept {
  return plan.fault == Fault::death && fault_now()
             ? refused()
             : static_cast<int>(::syscall(SYS_ftruncate, descriptor, size));
}

}  // extern "C"

namespace pair::runs::testing::crash_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int steps = 9;

std::string line_of(int step) {
  return nlohmann::json{{"step", step}, {"loss", 1.0 / step}}.dump();
}

// A run whose state is its step: a record every second, a checkpoint every third.
void train(const fs::path& path) {
  RunDirectory run(path, small_spec());
  const std::optional<Checkpoint> checkpoint = run.resume();
  int step = checkpoint ? std::stoi(checkpoint->state) : 0;
  while (step < steps) {
    ++step;
    if (step % 2 == 0 || step == steps) {
      run.record(line_of(step));
    }
    if (step % 3 == 0 || step == steps) {
      run.save({step, 0.0, std::to_string(step)});
    }
  }
  run.finish({step, 0.0}, {});
  if (const auto notices = run.take_notices(); !notices.empty()) {
    throw std::logic_error(notices.front());
  }
}

std::string expected_records() {
  std::string text;
  for (const int step : {2, 4, 6, 8, 9}) {
    text += line_of(step) + "\n";
  }
  return text;
}

// Whether the child lived to its end.
bool train_in_child(const fs::path& path, Fault fault, int calls) {
  const pid_t child = ::fork();
  if (child == 0) {
    plan = {fault, calls};
    full = fault == Fault::full_disk && calls == 0;
    try {
      train(path);
    } catch (const std::runtime_error& error) {
      ::_exit(std::string_view(error.what()).find("No space left") != std::string_view::npos ? 7 : 8);
    } catch (...) {
      ::_exit(9);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return true;
  }
  if (fault == Fault::death) {
    EXPECT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  } else {
    EXPECT_EQ(WEXITSTATUS(status), 7) << "at call " << calls;
  }
  return false;
}

void expect_whole(const fs::path& path) {
  EXPECT_TRUE(RunDirectory::finished(path, small_spec()));
  EXPECT_EQ(read_file(results_file(path)), expected_records());
}

TEST(Crash, AtAnyCallIsRepairedByTheNextTry) {
  int calls = 1;
  for (bool lived = false; !lived; ++calls) {
    const Scratch scratch;
    lived = train_in_child(scratch / "run", Fault::death, calls);
    if (fs::exists(results_file(scratch / "run"))) {
      const std::string records = read_file(results_file(scratch / "run"));
      EXPECT_EQ(records, expected_records().substr(0, records.size())) << "the existing records are right";
    }
    if (!fs::exists(done_file(scratch / "run"))) {
      train(scratch / "run");
    }
    expect_whole(scratch / "run");
  }
  EXPECT_GT(calls, 30) << "the calls were counted";
}

TEST(Crash, AtAnyTwoCallsIsRepairedToo) {
  for (int first = 2; first < 40; first += 5) {
    for (int second = 3; second < 40; second += 5) {
      const Scratch scratch;
      if (!train_in_child(scratch / "run", Fault::death, first) && !fs::exists(done_file(scratch / "run")) &&
          !train_in_child(scratch / "run", Fault::death, second) && !fs::exists(done_file(scratch / "run"))) {
        train(scratch / "run");
      }
      expect_whole(scratch / "run");
    }
  }
}

TEST(FullDisk, LosesNoRecordAndIsRepairedByTheNextTry) {
  int calls = 1;
  for (bool lived = false; !lived; ++calls) {
    const Scratch scratch;
    lived = train_in_child(scratch / "run", Fault::full_disk, calls);
    const std::string records = read_file(results_file(scratch / "run"));
    EXPECT_EQ(records, expected_records().substr(0, records.size()));
    EXPECT_TRUE(records.empty() || records.back() == '\n') << "whole lines alone";
    if (fs::exists(spec_file(scratch / "run")) && !fs::exists(done_file(scratch / "run"))) {
      // Still full: what was recorded stays.
      EXPECT_FALSE(train_in_child(scratch / "run", Fault::full_disk, 0));
      EXPECT_EQ(read_file(results_file(scratch / "run")), records);
    }
    if (!fs::exists(done_file(scratch / "run"))) {
      train(scratch / "run");
    }
    expect_whole(scratch / "run");
  }
  EXPECT_GT(calls, 20);
}

}  // namespace
}  // namespace pair::runs::testing::crash_test
