// 'pair train' and its companions as a user meets them: real processes, real signals.

#include "tests/runs/program.h"

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/tensorboard.h"
#include "tests/runs/event_decoder.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing::program_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A run of a second or two in `run` under the folder.
std::vector<std::string> small_run(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"train",
                                        "--dataset",
                                        "cmnist",
                                        "--algorithm",
                                        "pair",
                                        "--seed",
                                        "5",
                                        "--steps",
                                        "200",
                                        "--out",
                                        "run",
                                        "--set",
                                        "train_digits=500",
                                        "test_digits=200",
                                        "width=16",
                                        "pretrain=50",
                                        "eval_every=5",
                                        "checkpoint_every=7"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const std::string& uninterrupted() {
  static const std::string records = [] {
    const Scratch scratch;
    EXPECT_EQ(pair_in(scratch.path(), small_run()).status, 0);
    return read_file(results_file(scratch / "run"));
  }();
  return records;
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  return missing ? 0 : size;
}

// Until the run has written more than it had.
void wait_for_progress(Program& program, const fs::path& directory, std::uintmax_t before) {
  while (program.running() && size_of(results_file(directory)) <= before) {
    std::this_thread::sleep_for(200us);
  }
}

TEST(PairTrain, TrainsRecordsAndSaysHowItWent) {
  const Scratch scratch;
  const Answer ended = pair_in(scratch.path(), small_run());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("Accuracy after step 200"), HasSubstr("worst test"),
                               HasSubstr("run/results.jsonl")));
  EXPECT_THAT(ended.err,
              ContainsRegex("step 100/200  loss [0-9.e+-]+  weights erm [0-9.e+-]+ irmv1 [0-9.e+-]+ "
                            "vrex [0-9.e+-]+  divergence [0-9.e+-]+  worst test [0-9.]+%  left 0:"));
  EXPECT_THAT(ended.err, Not(HasSubstr("\r")));
  EXPECT_THAT(read_records(results_file(scratch / "run")), SizeIs(40));
  for (const char* name : {"spec.json", "checkpoint", "done"}) {
    EXPECT_TRUE(fs::exists(scratch / "run" / name)) << name;
  }
  const Answer again = pair_in(scratch.path(), small_run());
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("Already finished"));
  EXPECT_THAT(again.err, IsEmpty());
}

TEST(PairTrain, DrawsABarOnATerminal) {
  const Scratch scratch;
  Program program(small_run(), scratch.path(), Program::Output::terminal);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.err(), AllOf(HasSubstr("\r[####################] 200/200 left 0:00  loss "),
                                   HasSubstr("weights erm"), HasSubstr("Accuracy after step 200")));
}

std::vector<std::int64_t> tensorboard_steps(const fs::path& run) {
  std::vector<std::int64_t> steps;
  for (const fs::path& file : event_files_in(run)) {
    for (const DecodedEvent& event : decode_events(file)) {
      if (!event.scalars.empty()) {
        steps.push_back(event.step);
      }
    }
  }
  return steps;
}

std::vector<std::int64_t> recorded_steps(const fs::path& run) {
  std::vector<std::int64_t> steps;
  for (const nlohmann::json& record : read_records(results_file(run))) {
    steps.push_back(record.at("step"));
  }
  return steps;
}

TEST(PairTrain, WritesForTensorBoardBesideTheSameRecords) {
  if (!has_tensorboard()) {
    GTEST_SKIP() << "built without protobuf";
  }
  const Scratch scratch;
  const Answer ended = pair_in(scratch.path(), small_run({"--tensorboard"}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(read_file(results_file(scratch / "run")), uninterrupted());
  ASSERT_THAT(event_files_in(scratch / "run"), SizeIs(1));
  EXPECT_EQ(tensorboard_steps(scratch / "run"), recorded_steps(scratch / "run"));
  const nlohmann::json last = read_records(results_file(scratch / "run")).back();
  const auto scalars = decode_events(event_files_in(scratch / "run").at(0)).back().scalars;
  EXPECT_EQ(scalars.at("losses/irmv1"), last.at("losses").at("irmv1").get<float>());
  EXPECT_EQ(scalars.at("weights/vrex"), last.at("weights").at("vrex").get<float>());
  EXPECT_EQ(scalars.at("accuracy/worst_test"), last.at("worst_test_acc").get<float>());
  EXPECT_TRUE(scalars.contains("divergence"));
  EXPECT_TRUE(scalars.contains("lr"));
}

TEST(PairTrain, RepeatsNoStepForTensorBoardAfterAKill) {
  if (!has_tensorboard()) {
    GTEST_SKIP() << "built without protobuf";
  }
  const Scratch scratch;
  for (int kills = 0; kills < 3; ++kills) {
    Program program(small_run({"--tensorboard"}), scratch.path());
    wait_for_progress(program, scratch / "run", size_of(results_file(scratch / "run")));
    program.signal(SIGKILL);
    program.wait();
  }
  EXPECT_EQ(pair_in(scratch.path(), small_run({"--tensorboard"})).status, 0);
  EXPECT_EQ(read_file(results_file(scratch / "run")), uninterrupted());
  EXPECT_EQ(tensorboard_steps(scratch / "run"), recorded_steps(scratch / "run"));
}

TEST(PairTrain, WritesARunThatIsDoneForTensorBoard) {
  if (!has_tensorboard()) {
    GTEST_SKIP() << "built without protobuf";
  }
  const Scratch scratch;
  EXPECT_EQ(pair_in(scratch.path(), small_run()).status, 0);
  EXPECT_THAT(event_files_in(scratch / "run"), IsEmpty());
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(pair_in(scratch.path(), small_run({"--tensorboard"})).status, 0);
    EXPECT_EQ(tensorboard_steps(scratch / "run"), recorded_steps(scratch / "run"));
  }
}

TEST(PairTrain, SummarisesAsJson) {
  const Scratch scratch;
  const Answer ended = pair_in(scratch.path(), small_run({"--json", "--quiet"}));
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, IsEmpty());
  const auto summary = nlohmann::json::parse(ended.out);
  EXPECT_EQ(summary.at("status"), "finished");
  EXPECT_EQ(summary.at("directory"), "run");
  EXPECT_EQ(summary.at("record").at("step"), 200);
}

TEST(PairTrain, CombinesAnyObjectives) {
  const Scratch scratch;
  const Answer ended =
      pair_in(scratch.path(), {"train", "--objectives", "erm,irmv1,vrex,fishr", "--no-restart",
                               "--freeze-featurizer", "--out", "run", "--set", "steps=4", "pretrain=2",
                               "train_digits=100", "test_digits=10", "width=2"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json last = read_records(results_file(scratch / "run")).back();
  EXPECT_THAT(last.at("weights"), SizeIs(4));
  EXPECT_EQ(last.at("hparams").at("preference"), "auto");
  EXPECT_EQ(last.at("hparams").at("restart"), false);
  EXPECT_EQ(last.at("hparams").at("freeze_featurizer"), true);
}

TEST(PairTrain, WarnsBeforeARunThatNeverBalances) {
  const Scratch scratch;
  const Answer ended =
      pair_in(scratch.path(), {"train", "--steps", "4", "--out", "run", "--quiet", "--name", "my method",
                               "--set", "train_digits=100", "test_digits=50", "width=4", "holdout=0.2"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(
      ended.err,
      "pair: warning: pair never balances objectives and trains with ERM alone: pretrain is 150 and steps is "
      "4; set pretrain below steps\n");
  const nlohmann::json record = read_records(results_file(scratch / "run")).back();
  EXPECT_EQ(record.at("args").at("name"), "my method");
  EXPECT_EQ(record.at("args").at("env_names").at(2), "beta 0.9");
  EXPECT_TRUE(record.contains("env0_in_acc"));
  EXPECT_TRUE(record.contains("env0_out_acc"));
}

TEST(PairTrain, RefusesObjectivesThatTheAlgorithmDoesNotHave) {
  const Scratch scratch;
  const Answer ended = pair_in(scratch.path(), {"train", "--algorithm", "erm", "--objectives", "erm,vrex"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("objectives: expected 'erm' for algorithm erm, got 'erm,vrex'"));
}

TEST(PairTrain, FindsItsPlaceByItself) {
  const Scratch scratch;
  const std::vector<std::string> arguments = {"train",          "--algorithm", "erm",
                                              "--seed",         "2",           "--quiet",
                                              "--set",          "steps=2",     "train_digits=100",
                                              "test_digits=10", "width=2"};
  EXPECT_EQ(pair_in(scratch.path(), arguments).status, 0);
  std::vector<fs::path> found(fs::directory_iterator(scratch / "runs"), {});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.front().filename().string(), ::testing::MatchesRegex("cmnist-erm-s2-[0-9a-f]{16}"));
}

TEST(PairTrain, KilledAtRandomMomentsEndsWithTheSameRecords) {
  const Scratch scratch;
  const fs::path run = scratch / "run";
  std::mt19937 random(std::random_device{}());
  int kills = 0;
  // On a fast machine, a run may be done before the third kill; then another one begins.
  for (int runs = 0; kills < 3 && runs < 20; ++runs) {
    fs::remove_all(run);
    while (!fs::exists(done_file(run)) && kills < 10) {
      Program program(small_run({"--quiet"}), scratch.path());
      if (kills % 4 != 3) {
        // While it trains; each fourth kill falls anywhere, perhaps before it began.
        wait_for_progress(program, run, size_of(results_file(run)));
      }
      std::this_thread::sleep_for(
          std::chrono::microseconds(random() % (kills % 4 == 3 ? 1'000'000 : 60'000)));
      program.signal(SIGKILL);
      const int status = program.wait();
      EXPECT_THAT(status, AnyOf(0, 128 + SIGKILL)) << program.err();
      kills += status == 0 ? 0 : 1;
      const std::string records = size_of(results_file(run)) > 0 ? read_file(results_file(run)) : "";
      EXPECT_EQ(records, uninterrupted().substr(0, records.size())) << "after " << kills << " kills";
    }
    EXPECT_EQ(pair_in(scratch.path(), small_run({"--quiet"})).status, 0);
    EXPECT_EQ(read_file(results_file(run)), uninterrupted());
  }
  EXPECT_GE(kills, 3);
}

TEST(PairTrain, EndsCleanlyOnCtrlCAndContinues) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Scratch scratch;
    Program program(small_run(), scratch.path());
    wait_for_progress(program, scratch / "run", 2000);
    program.signal(signal);
    EXPECT_EQ(program.wait(), 128 + signal);
    EXPECT_THAT(program.err(), ContainsRegex("Stopped at step [0-9]+ of 200; the same command continues"));
    EXPECT_FALSE(fs::exists(done_file(scratch / "run")));
    EXPECT_FALSE(fs::exists(failed_file(scratch / "run")));
    const Answer second = pair_in(scratch.path(), small_run());
    EXPECT_EQ(second.status, 0);
    EXPECT_THAT(second.err, ContainsRegex("Resumed at step [0-9]+ of 200"));
    EXPECT_EQ(read_file(results_file(scratch / "run")), uninterrupted());
  }
}

TEST(PairTrain, DoesNotTrainWhereAnotherDoes) {
  const Scratch scratch;
  Program first(small_run({"steps=1000000"}), scratch.path());
  wait_for_progress(first, scratch / "run", 0);
  const Answer second = pair_in(scratch.path(), small_run({"steps=1000000"}));
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.err, HasSubstr("another process or thread is training in run"));
  first.signal(SIGINT);
  EXPECT_EQ(first.wait(), 130);
}

TEST(PairTrain, GivesASentenceForBadInput) {
  const Scratch scratch;
  const auto refusal = [&](const std::vector<std::string>& arguments, const std::string& sentence) {
    std::vector<std::string> all = {"train"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Answer ended = pair_in(scratch.path(), all);
    EXPECT_EQ(ended.status, 2) << sentence;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(sentence), ::testing::StartsWith("pair: ")));
  };
  refusal({"--dataset", "cmnst"}, "unknown dataset 'cmnst'; did you mean 'cmnist'?");
  refusal({"--algorithm", "pear"}, "unknown algorithm 'pear'; did you mean 'pair'?");
  refusal({"--objectives", "erm,irmv"}, "unknown objective 'irmv'; did you mean 'irmv1'?");
  refusal({"--seed", "-1"}, "--seed: expected an integer from 0 to 18446744073709551615, got '-1'");
  refusal({"--set", "seed=-1"}, "pair: seed: expected an integer from 0");
  refusal({"--preference", "1,2"}, "--preference: expected auto, or one number per objective (3), got 2");
  refusal({"--set", "stpes=5"}, "unknown setting 'stpes'; did you mean 'steps'?");
  refusal({"--set", "steps"}, "--set: expected key=value, such as steps=100, got 'steps'");
  refusal({"--algorithm", "PAIR-o"}, "did you mean 'pair'?");
  refusal({"--algorithm", "erm", "--preference", "1"}, "preference does not apply to algorithm 'erm'");
  EXPECT_TRUE(fs::is_empty(scratch.path())) << "nothing was begun";
}

TEST(PairTrain, RefusesAFolderOfAnotherRun) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), small_run({"steps=5"})).status, 0);
  const Answer ended = pair_in(scratch.path(), small_run({"steps=6"}));
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("run holds a different run: its steps is 5, here 6; a run keeps its settings, "
                        "so use another folder"));
}

TEST(PairTrain, SaysWhereItCannotWrite) {
  const Scratch scratch;
  std::vector<std::string> arguments = small_run();
  *std::find(arguments.begin(), arguments.end(), "run") = "/proc/run";
  const Answer ended = pair_in(scratch.path(), arguments);
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("cannot create the folder /proc/run"));
}

void expect_records_kept_and_mended(const Scratch& scratch, const Answer& ended) {
  EXPECT_EQ(ended.status, 1);
  const std::string records = read_file(results_file(scratch / "run"));
  EXPECT_FALSE(records.empty());
  EXPECT_LT(records.size(), uninterrupted().size());
  EXPECT_EQ(records, uninterrupted().substr(0, records.size()));
  EXPECT_EQ(records.back(), '\n');
}

TEST(PairTrain, LosesNoRecordToALimitOnFileSizes) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer maps a file that is larger than the limit";
#endif
  const Scratch scratch;
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  // Inherited by the program; its output goes to memory files, which stay small.
  struct rlimit limited = before;
  limited.rlim_cur = 30'000;
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &limited);
  const Answer ended = pair_in(scratch.path(), small_run({"checkpoint_every=100000"}));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(ended.err, HasSubstr("pair: cannot write run/results.jsonl: File too large"));
  EXPECT_THAT(read_file(failed_file(scratch / "run")), HasSubstr("File too large"));
  expect_records_kept_and_mended(scratch, ended);
  EXPECT_EQ(pair_in(scratch.path(), small_run()).status, 0);
  EXPECT_EQ(read_file(results_file(scratch / "run")), uninterrupted());
}

// A small disk for the test's time; mounting one needs root.
class SmallDisk {
 public:
  SmallDisk(fs::path path, const char* size) : path_(std::move(path)) {
    fs::create_directory(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, size) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) {
      ::umount(path_.c_str());
    }
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  void resize(const char* size) const { ::mount("none", path_.c_str(), "tmpfs", MS_REMOUNT, size); }

 private:
  fs::path path_;
  bool mounted_ = false;
};

TEST(PairTrain, LosesNoRecordToAFullDisk) {
  const Scratch scratch;
  const SmallDisk disk(scratch / "run", "size=192k");
  if (!disk.mounted()) {
    GTEST_SKIP() << "mounting a small disk needs root";
  }
  const Answer ended = pair_in(scratch.path(), small_run());
  EXPECT_THAT(ended.err,
              ContainsRegex("pair: cannot write run/(results.jsonl|checkpoint): No space left on device"));
  expect_records_kept_and_mended(scratch, ended);
  disk.resize("size=8m");
  EXPECT_EQ(pair_in(scratch.path(), small_run()).status, 0);
  EXPECT_EQ(read_file(results_file(scratch / "run")), uninterrupted());
}

TEST(PairList, HasALineForEach) {
  const Scratch scratch;
  const auto listing = [&](const std::string& kind) { return pair_in(scratch.path(), {"list", kind}).out; };
  EXPECT_THAT(listing("datasets"), AllOf(HasSubstr("cmnist-m "), HasSubstr("cmnist-gray")));
  EXPECT_THAT(listing("algorithms"), AllOf(HasSubstr("groupdro"), HasSubstr("pair ")));
  EXPECT_THAT(listing("objectives"), AllOf(HasSubstr("irmv1"), HasSubstr("fishr")));
  EXPECT_THAT(listing("models"), AllOf(HasSubstr("mlp"), HasSubstr("linear")));
  EXPECT_THAT(listing("settings"), HasSubstr("(default: 1,1e+10,1e+12)"));
  EXPECT_THAT(pair_in(scratch.path(), {"list", "settings", "--verbose"}).out,
              HasSubstr("integers from 1 to 65536"));
  const Answer unknown = pair_in(scratch.path(), {"list", "datset"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'datasets'?"));
}

TEST(PairData, ListsDataAndRefusesUnknownSources) {
  const Scratch scratch;
  ::setenv("PAIR_DATA", (scratch / "store").c_str(), 1);
  const Answer listing = pair_in(scratch.path(), {"data", "list"});
  EXPECT_EQ(listing.status, 0);
  EXPECT_THAT(listing.out, AllOf(HasSubstr("mnist14  ready"), HasSubstr("mnist    missing")));
  EXPECT_EQ(nlohmann::json::parse(pair_in(scratch.path(), {"data", "list", "--json"}).out).at(1).at("state"),
            "missing");
  const Answer unknown = pair_in(scratch.path(), {"data", "get", "mnits"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("mnist"));
  fs::create_directory(scratch / "empty");
  const Answer nothing = pair_in(scratch.path(), {"data", "get", "mnist", "--from", "empty"});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_THAT(nothing.err, HasSubstr("train-images-idx3-ubyte"));
  ::unsetenv("PAIR_DATA");
}

}  // namespace
}  // namespace pair::runs::testing::program_test
