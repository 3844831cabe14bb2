// 'pair sweep' as users run it: real processes, real signals.

#include "tests/runs/program.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"
#include "pair/sweep/sweep_file.h"
#include "tests/runs/fixtures.h"

namespace pair::sweep::program_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using runs::testing::Answer;
using runs::testing::end_of;
using runs::testing::pair_in;
using runs::testing::Program;
using runs::testing::Scratch;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Eight jobs: two algorithms, two draws, two trials.
Words eight(const std::string& steps = "20") {
  return {"sweep",
          "launch",
          "--out",
          "sweep",
          "--datasets",
          "cmnist",
          "--algorithms",
          "erm,irmv1",
          "--n-hparams",
          "2",
          "--n-trials",
          "2",
          "--steps",
          steps,
          "--jobs",
          "2",  // on any machine, so that two launchers share the work
          "--json",
          "--set",
          "train_digits=300",
          "test_digits=100",
          "width=8",
          "eval_every=5",
          "checkpoint_every=3"};
}

// By run, the bytes of its records.
std::map<std::string, std::string> records_in(const fs::path& sweep) {
  std::map<std::string, std::string> records;
  for (const auto& entry : fs::directory_iterator(sweep)) {
    if (entry.is_directory()) {
      records[entry.path().filename().string()] = runs::read_file(runs::results_file(entry.path()));
    }
  }
  return records;
}

std::map<std::string, std::string> uninterrupted(const std::string& steps) {
  const Scratch scratch;
  EXPECT_EQ(pair_in(scratch.path(), eight(steps)).status, 0);
  return records_in(scratch / "sweep");
}

json status_in(const fs::path& folder) {
  return json::parse(pair_in(folder, {"sweep", "status", "--out", "sweep", "--json"}).out);
}

// Until some runs have records.
void wait_for_records(Program& program, const fs::path& sweep, std::size_t runs) {
  const auto count = [&sweep] {
    std::size_t found = 0;
    std::error_code error;
    for (auto entry = fs::directory_iterator(sweep, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      std::error_code missing;
      const std::uintmax_t size = fs::file_size(runs::results_file(entry->path()), missing);
      found += !missing && size > 0 ? 1U : 0U;
    }
    return found;
  };
  while (program.running() && count() < runs) {
    std::this_thread::sleep_for(1ms);
  }
}

TEST(PairSweep, LaunchesReportsCollectsAndRepeatsNothing) {
  const Scratch scratch;
  const Answer first = pair_in(scratch.path(), eight());
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.err, AllOf(HasSubstr("8 runs: 0 done, 8 not begun"), HasSubstr("8 of 8 runs done")));
  const json summary = json::parse(first.out);
  EXPECT_EQ(summary.at("status"), "finished");
  EXPECT_EQ(summary.at("ran"), 8);
  EXPECT_EQ(summary.at("done"), 8);

  const auto before = records_in(scratch / "sweep");
  EXPECT_EQ(before.size(), 8U);
  const Answer changed = pair_in(scratch.path(), {"sweep", "launch", "--out", "sweep", "--steps", "62"});
  EXPECT_EQ(changed.status, 2);
  EXPECT_THAT(changed.err, HasSubstr("'sweep' holds a sweep, which keeps its settings; give only --out"));
  const json again = json::parse(pair_in(scratch.path(), eight()).out);
  EXPECT_EQ(again.at("ran"), 0);
  EXPECT_EQ(again.at("done_before"), 8);
  EXPECT_EQ(records_in(scratch / "sweep"), before);

  const Answer status = pair_in(scratch.path(), {"sweep", "status", "--out", "sweep"});
  EXPECT_EQ(status.status, 0);
  EXPECT_THAT(status.out, AllOf(HasSubstr("8 runs: 8 done\n"), HasSubstr("4/4"),
                                HasSubstr("beta 0.9, beta 0.1, beta 0.5")));
  const json cells = status_in(scratch.path()).at("cells");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[1].at("algorithm"), "irmv1");
  EXPECT_EQ(cells[1].at("test_envs"), json({2, 3, 4}));
  EXPECT_EQ(cells[1].at("done"), 4);

  const Words choose = {"sweep",       "collect", "--out",        "sweep",
                        "--criterion", "pair",    "--validation", "training"};
  const Answer tables = pair_in(scratch.path(), choose);
  EXPECT_EQ(tables.status, 0) << tables.err;
  EXPECT_THAT(tables.out, AllOf(HasSubstr("Dataset: cmnist"), HasSubstr("irmv1"), HasSubstr("Chosen")));
  EXPECT_THAT(tables.out, ::testing::Not(HasSubstr("Not complete")));
  const json both = json::parse(pair_in(scratch.path(), choose + Words{"--json"}).out);
  EXPECT_EQ(both.at("sweep").at("done"), 8);
  EXPECT_EQ(both.at("selection").at("runs"), 8);
}

TEST(PairSweep, OfTwoProcessesOnOneFolderRunsEveryJobOnce) {
  const auto expected = uninterrupted("150");
  const Scratch scratch;
  Program one(eight("150"), scratch.path());
  Program two(eight("150"), scratch.path());
  const Answer first = end_of(one);
  const Answer second = end_of(two);
  ASSERT_EQ(first.status, 0) << first.err;
  ASSERT_EQ(second.status, 0) << second.err;
  const int ran_first = json::parse(first.out).at("ran");
  const int ran_second = json::parse(second.out).at("ran");
  EXPECT_EQ(ran_first + ran_second, 8);
  EXPECT_GT(ran_first, 0);
  EXPECT_GT(ran_second, 0);
  EXPECT_EQ(records_in(scratch / "sweep"), expected);
}

TEST(PairSweep, ContinuesAfterKillToTheSameRecords) {
  const auto expected = uninterrupted("150");
  const Scratch scratch;
  for (std::size_t runs = 1; runs <= 5; runs += 2) {
    Program program(eight("150"), scratch.path());
    wait_for_records(program, scratch / "sweep", runs);
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait(), 128 + SIGKILL);
  }
  const json status = status_in(scratch.path());
  EXPECT_EQ(status.at("running"), 0);
  EXPECT_LT(status.at("done"), 8);
  const Answer ended = pair_in(scratch.path(), {"sweep", "launch", "--out", "sweep"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("8 runs: 8 done ("));
  EXPECT_EQ(records_in(scratch / "sweep"), expected);
}

TEST(PairSweep, TakesOverFromALauncherThatIsKilled) {
  const auto expected = uninterrupted("150");
  const Scratch scratch;
  Program killed(eight("150"), scratch.path());
  wait_for_records(killed, scratch / "sweep", 1);
  Program other(eight("150"), scratch.path());
  wait_for_records(other, scratch / "sweep", 3);
  killed.signal(SIGKILL);
  killed.wait();
  const Answer ended = end_of(other);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(json::parse(ended.out).at("done"), 8);
  EXPECT_EQ(records_in(scratch / "sweep"), expected);
}

TEST(PairSweep, StopsCleanlyOnSignals) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Scratch scratch;
    Program program(eight("2000"), scratch.path());
    wait_for_records(program, scratch / "sweep", 1);
    program.signal(signal);
    const Answer ended = end_of(program);
    EXPECT_EQ(ended.status, 128 + signal) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("Stopped; the same command continues from there"));
    EXPECT_EQ(json::parse(ended.out).at("status"), "stopped");
    const json status = status_in(scratch.path());
    EXPECT_EQ(status.at("running"), 0);
    EXPECT_EQ(status.at("failed"), 0);
    EXPECT_GT(status.at("incomplete"), 0);
    EXPECT_GT(status.at("not_begun"), 0);
    const Answer collected =
        pair_in(scratch.path(), {"sweep", "collect", "--out", "sweep", "--criterion", "oracle"});
    EXPECT_THAT(collected.out, HasSubstr("-------- Not complete\n8 runs: "));
  }
}

TEST(PairSweep, RecordsAFailureAndContinues) {
  const Scratch scratch;
  const Answer whole = pair_in(scratch.path(), eight());
  ASSERT_EQ(whole.status, 0) << whole.err;
  const auto expected = records_in(scratch / "sweep");
  const std::string bad = expected.begin()->first;
  const fs::path folder = scratch / "sweep" / bad;
  // One run is lost but for its spec, and what it will write to is in the way.
  for (const fs::path& file :
       {runs::done_file(folder), runs::checkpoint_file(folder), runs::results_file(folder)}) {
    fs::remove(file);
  }
  fs::create_directories(runs::checkpoint_file(folder) / "x");

  const Answer ended = pair_in(scratch.path(), eight());
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr(bad + " failed: "), HasSubstr("checkpoint")));
  EXPECT_EQ(json::parse(ended.out).at("status"), "failed");
  EXPECT_EQ(json::parse(ended.out).at("failures").at(0).at("folder"), bad);
  const json status = status_in(scratch.path());
  EXPECT_EQ(status.at("failed"), 1);
  EXPECT_EQ(status.at("done"), 7);
  EXPECT_THAT(status.at("failures").at(0).at("message").get<std::string>(), HasSubstr("checkpoint"));

  const Words remove = {"sweep", "delete-incomplete", "--out", "sweep"};
  EXPECT_THAT(pair_in(scratch.path(), remove + Words{"--dry-run"}).out, HasSubstr("would delete " + bad));
  EXPECT_TRUE(fs::exists(folder));
  EXPECT_EQ(json::parse(pair_in(scratch.path(), remove + Words{"--json"}).out).at("deleted"), json({bad}));
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(pair_in(scratch.path(), eight()).status, 0);
  EXPECT_EQ(records_in(scratch / "sweep"), expected);
}

TEST(PairSweep, RunsBrokenRunsAgain) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), eight()).status, 0);
  const auto expected = records_in(scratch / "sweep");
  const std::string name = expected.begin()->first;
  runs::testing::write(runs::results_file(scratch / "sweep" / name), "{}\n");
  EXPECT_EQ(status_in(scratch.path()).at("broken"), 1);
  const Answer ended = pair_in(scratch.path(), eight());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(name + " is broken and runs again"));
  EXPECT_EQ(json::parse(ended.out).at("ran"), 1);
  EXPECT_EQ(records_in(scratch / "sweep"), expected);
}

TEST(PairSweep, GrowsWithAMessageAndRefusesToMix) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), eight("5")).status, 0);
  Words more = eight("5");
  more[7] = "vrex";
  const Answer grown = pair_in(scratch.path(), more);
  EXPECT_EQ(grown.status, 0) << grown.err;
  EXPECT_THAT(grown.err, HasSubstr("held a sweep of 8 runs; 4 more are now part of it"));
  EXPECT_EQ(status_in(scratch.path()).at("jobs"), 12);
  const Answer mixed = pair_in(scratch.path(), eight("6"));
  EXPECT_EQ(mixed.status, 2);
  EXPECT_THAT(mixed.err, AllOf(HasSubstr("holds a different sweep"), HasSubstr("its steps is 5, here 6")));
}

TEST(PairSweep, BeginsInAFolderThatHasOnlyItsLogs) {
  const Scratch scratch;
  fs::create_directories(scratch / "sweep");
  for (const char* const name : {"launch.log", "slurm-123.out", "errors.err", ".nfs001"}) {
    runs::testing::write(scratch / "sweep" / name, "x");
  }
  const Answer ended = pair_in(scratch.path(), eight("5"));
  EXPECT_EQ(ended.status, 0) << ended.err;
  fs::remove(sweep_file(scratch / "sweep"));
  runs::testing::write(scratch / "sweep/thesis.tex", "x");
  const Answer refused = pair_in(scratch.path(), eight("5"));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("got 'sweep', which holds 'thesis.tex'; give a new folder"));
}

TEST(PairSweep, RunsAJobAsItsSpecRunsAlone) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), eight()).status, 0);
  const Job job = jobs_of(read_sweep(scratch / "sweep")).back();
  const std::string spec = runs::spec_file(scratch / "sweep" / job.folder).string();
  const Answer ended = pair_in(scratch.path(), {"train", "--spec", spec, "--out", "alone"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(runs::read_file(runs::results_file(scratch / "alone")),
            runs::read_file(runs::results_file(scratch / "sweep" / job.folder)));
}

TEST(PairTrainSpec, IsRefusedBesideOtherSettingsAndWhereItIsNone) {
  const Scratch scratch;
  runs::testing::write(scratch / "no.json", "{}");
  const Answer none = pair_in(scratch.path(), {"train", "--spec", "missing.json"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--spec: expected a spec.json, got 'missing.json'"));
  const Answer empty = pair_in(scratch.path(), {"train", "--spec", "no.json"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("no.json cannot be used: a spec: expected a name"));
  for (const Words& beside : {Words{"--dataset", "cmnist"}, Words{"--set", "steps=3"}, Words{"--tf32"}}) {
    EXPECT_EQ(pair_in(scratch.path(), Words{"train", "--spec", "no.json"} + beside).status, 2);
  }
}

TEST(PairSweep, RefusesWhatItCannotUse) {
  const Scratch scratch;
  runs::testing::write(scratch / "file", "x");
  fs::create_directories(scratch / "garbage");
  runs::testing::write(scratch / "garbage/sweep.json", "{");
  struct Case {
    Words arguments;
    std::string sentence;
  };
  const Words named = {"--datasets", "cmnist", "--algorithms", "erm"};
  for (const Case& bad : {
           Case{{"launch"}, "--out"},
           Case{{"launch", "--out", "s"},
                "'s' holds no sweep; a new sweep needs --algorithms, and --datasets or --data"},
           Case{{"status", "--out", "s"}, "'s' holds no sweep"},
           Case{{"collect", "--out", "s"}, "'s' holds no sweep"},
           Case{{"delete-incomplete", "--out", "s"}, "'s' holds no sweep"},
           Case{{"status", "--out", "garbage"}, "sweep.json cannot be used"},
           Case{{"lanch", "--out", "s"}, "did you mean 'launch'"},
           Case{{"launch", "--out", "s", "--datasets", "cmnist"}, "a new sweep needs --algorithms"},
           Case{{"launch", "--out", "s", "--datasets", "cmnst", "--algorithms", "erm"},
                "did you mean 'cmnist'"},
           Case{Words{"launch", "--out", "file"} + named, "file is a file"},
           Case{Words{"launch", "--out", "s", "--n-trials", "0"} + named,
                "--n-trials: expected an integer from 1 to 100000, got 0"},
           Case{Words{"launch", "--out", "s", "--n-hparams", "x"} + named, "--n-hparams"},
           Case{Words{"launch", "--out", "s", "--jobs", "0"} + named, "--jobs"},
           Case{Words{"launch", "--out", "s", "--launcher", "slrm"} + named, "did you mean 'slurm'"},
           Case{Words{"launch", "--out", "s", "--launcher", "slurm", "--max-jobs", "0"} + named,
                "--max-jobs: expected an integer from 1 to 1000, got 0"},
           Case{Words{"launch", "--out", "s", "--partition", "gpu"} + named,
                "options for clusters need --launcher slurm"},
           Case{Words{"launch", "--out", "s", "--launcher", "command"} + named, "expected --command"},
           Case{{"cancel", "--out", "s"}, "has no job on Slurm"},
           Case{Words{"launch", "--out", "s", "--search", "papr"} + named, "did you mean 'paper'"},
           Case{Words{"launch", "--out", "s", "--test-envs", "0"} + named, "has fixed test environments"},
           Case{Words{"launch", "--out", "s", "--test-envs", "a"} + named,
                "--test-envs: expected a number from 0"},
           Case{{"launch", "--out", "s", "--datasets", "ColoredMNIST", "--algorithms", "erm", "--test-envs",
                 "0,3"},
                "--test-envs: expected numbers from 0 to 2 (ColoredMNIST), each once, got 3"},
           Case{{"launch", "--out", "s", "--datasets", "ColoredMNIST", "--algorithms", "erm", "--half",
                 "--precision", "bf16"},
                "--half: expected false with precision bf16, got true"},
           Case{Words{"launch", "--out", "."} + named,
                "--out: expected a folder that is new, empty or a sweep's own, got '.', which holds '"},
           Case{Words{"launch", "--out", "s", "--label", "y"} + named,
                "--label applies to CSV files (--data FILE), got the dataset cmnist"},
           Case{Words{"launch", "--out", "s", "--data", "file"} + named,
                "--data: expected no data for dataset cmnist, which has its own, got 'file'"},
           Case{{"launch", "--out", "s", "--data", "none.csv", "--algorithms", "erm"},
                "got 'none.csv', which does not exist"},
           Case{{"launch", "--out", "s", "--data", "file", "--datasets", "table,cmnist", "--algorithms",
                 "erm"},
                "--data: expected at most one dataset in addition, got --datasets table,cmnist"},
           Case{{"launch", "--out", "s", "--datasets", "table", "--algorithms", "erm", "--set",
                 "file=none.csv"},
                "file: expected a CSV file, got"},
           Case{Words{"launch", "--out", "s", "--device", "gpu"} + named,
                "device: expected cpu, cuda or cuda:N, got"},
           Case{Words{"launch", "--out", "s", "--set", "steps"} + named, "key=value"},
           Case{Words{"launch", "--out", "s", "--set", "model=mpl"} + named, "did you mean 'mlp'"},
       }) {
    const Answer ended = pair_in(scratch.path(), Words{"sweep"} + bad.arguments);
    EXPECT_EQ(ended.status, 2) << bad.sentence << "\n" << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(bad.sentence));
    EXPECT_FALSE(fs::exists(scratch / "s")) << bad.sentence;
  }
}

// 900 runs without data would be 900 folders and 900 times the same sentence.
TEST(PairSweep, RefusesMissingDataOnceBeforeAFolderIsMade) {
  const Scratch scratch;
  const Answer ended =
      pair_in(scratch.path(), {"sweep", "launch", "--out", "s", "--datasets", "ColoredMNIST", "--algorithms",
                               "erm,irmv1", "--n-trials", "2", "--set", "folder=digits"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr((scratch / "digits").string()));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_FALSE(fs::exists(scratch / "s"));
}

// Three hospitals with 20 patients each, of whom some have a disease.
void write_patients(const fs::path& file, const std::string& more = "") {
  std::string text = "id,hospital,age,disease\n";
  for (int i = 0; i < 60; ++i) {
    const char* const hospitals[] = {"St. Mary", "Eastside", "Lakeview, North"};
    text += "P" + std::to_string(i) + ",\"" + hospitals[i % 3] + "\"," + std::to_string(30 + i * 7 % 50) +
            "," + (i % 5 < 2 ? "yes" : "no") + "\n";
  }
  runs::testing::write(file, text + more);
}

Words patients_sweep(const Words& more) {
  return Words{"sweep",       "launch",  "--out",         "s",        "--data",   "p.csv",
               "--label",     "disease", "--environment", "hospital", "--ignore", "id",
               "--n-hparams", "1",       "--n-trials",    "1",        "--steps",  "4",
               "--model",     "linear",  "--json"} +
         more;
}

TEST(PairSweep, RunsOnATableFromAnyFolderAndNamesItsEnvironments) {
  const Scratch scratch;
  write_patients(scratch / "p.csv");
  const Answer first = pair_in(scratch.path(), patients_sweep({"--algorithms", "erm,pair", "--test-envs",
                                                               "St. Mary", "\"Lakeview, North\",0"}));
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(json::parse(first.out).at("jobs"), 4);
  const json sweep = json::parse(runs::read_file(scratch / "s/sweep.json"));
  for (const auto& folder : sweep.at("folders")) {
    const json spec = json::parse(runs::read_file(scratch / "s" / folder.get<std::string>() / "spec.json"));
    EXPECT_EQ(spec.at("file"), (scratch / "p.csv").string());
    EXPECT_EQ(spec.at("file_sha256").get<std::string>().size(), 64U);
    EXPECT_EQ(spec.at("model"), "linear");
    EXPECT_THAT(spec.at("test_envs"), ::testing::AnyOf(json({2}), json({1, 0})));
  }
  // From another folder; and filtered by name.
  fs::create_directories(scratch / "elsewhere");
  const Answer status = pair_in(scratch / "elsewhere", {"sweep", "status", "--out", "../s", "--json"});
  ASSERT_EQ(status.status, 0) << status.err;
  EXPECT_EQ(json::parse(status.out).at("done"), 4);
  const Answer mary = pair_in(scratch / "elsewhere",
                              {"sweep", "status", "--out", "../s", "--test-envs", "St. Mary", "--json"});
  EXPECT_EQ(json::parse(mary.out).at("jobs"), 2) << mary.err;
  const Answer again = pair_in(scratch / "elsewhere", {"sweep", "launch", "--out", "../s", "--json"});
  EXPECT_EQ(json::parse(again.out).at("ran"), 0) << again.err;
  const Answer unknown =
      pair_in(scratch.path(), patients_sweep({"--algorithms", "erm", "--test-envs", "Mary"}));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("expected environments ('Eastside', 'Lakeview, North' and 'St. Mary'"));
}

TEST(PairSweep, LeavesOutEachEnvironmentOfATable) {
  const Scratch scratch;
  write_patients(scratch / "p.csv");
  const Answer each = pair_in(scratch.path(), patients_sweep({"--algorithms", "erm", "--test-envs", "each"}));
  ASSERT_EQ(each.status, 0) << each.err;
  EXPECT_EQ(json::parse(each.out).at("jobs"), 3);
}

// By --set, as before --data existed, and when the file has changed in between.
TEST(PairSweep, DoesNotContinueOnAFileThatHasChanged) {
  const Scratch scratch;
  write_patients(scratch / "p.csv");
  const Words by_set = {"sweep",
                        "launch",
                        "--out",
                        "s",
                        "--datasets",
                        "table",
                        "--algorithms",
                        "erm",
                        "--n-hparams",
                        "1",
                        "--n-trials",
                        "1",
                        "--steps",
                        "4",
                        "--single-test-envs",
                        "--set",
                        "file=p.csv",
                        "label=disease",
                        "environment=hospital",
                        "ignore=id"};
  ASSERT_EQ(pair_in(scratch.path(), by_set).status, 0);
  write_patients(scratch / "p.csv", "P60,Eastside,50,no\n");
  const Answer other = pair_in(scratch.path(), by_set);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("holds a different sweep"));
  fs::remove(runs::done_file(
      scratch / "s" /
      json::parse(runs::read_file(scratch / "s/sweep.json"))["folders"][0].get<std::string>()));
  const Answer continued = pair_in(scratch.path(), {"sweep", "launch", "--out", "s"});
  EXPECT_EQ(continued.status, 2);
  EXPECT_THAT(continued.err, HasSubstr("p.csv has changed"));
}

TEST(PairSweep, FindsAnInvalidTableBeforeAFolderIsMade) {
  const Scratch scratch;
  write_patients(scratch / "p.csv", "P60,Eastside,50,\n");
  const Answer ended = pair_in(scratch.path(), patients_sweep({"--algorithms", "erm,pair"}));
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("label 'disease': expected a value in every row, got 1 row without, in line 62"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_FALSE(fs::exists(scratch / "s"));
}

TEST(PairSweep, ListsItsDistributions) {
  const Scratch scratch;
  const Answer ended = pair_in(scratch.path(), {"list", "hparams"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("irmv1.penalty"), HasSubstr("one of 10, 100, 1e3, 1e4, 1e5"),
                               HasSubstr("10^Uniform(-4.5, -2.5)")));
  const json entries = json::parse(pair_in(scratch.path(), {"list", "hparams", "--json"}).out);
  EXPECT_GT(entries.size(), 20U);
  EXPECT_TRUE(entries[0].contains("on"));
}

TEST(PairSweep, HelpsWithExamples) {
  const Scratch scratch;
  for (const char* command : {"launch", "status", "collect", "delete-incomplete"}) {
    const Answer ended = pair_in(scratch.path(), {"sweep", command, "--help"});
    EXPECT_EQ(ended.status, 0);
    EXPECT_THAT(ended.out, HasSubstr(std::string("Example:\n  pair sweep ") + command));
  }
}

}  // namespace
}  // namespace pair::sweep::program_test
