#include "pair/sweep/many_runs.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

#include "pair/data/sha256.h"
#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"

namespace pair::sweep::many_runs_test {
namespace {

namespace fs = std::filesystem;
using runs::RunDirectory;
using runs::RunSpec;
using runs::testing::Scratch;
using ::testing::HasSubstr;
using Status = RunOutcome::Status;

std::vector<RunSpec> small_specs(std::uint64_t count) {
  std::vector<RunSpec> specs;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    specs.push_back(runs::testing::small_spec(seed % 2 == 0 ? "erm" : "pair", seed));
  }
  return specs;
}

std::string records_of(const RunOutcome& outcome) {
  return runs::read_file(runs::results_file(outcome.directory));
}

std::size_t trained_here(const ManyRuns& runs) {
  std::size_t count = 0;
  for (const RunOutcome& outcome : runs.outcomes) {
    count += outcome.here ? 1U : 0U;
  }
  return count;
}

TEST(ManyRuns, RunSideBySideAndFinishedOnesAreRead) {
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(6);
  ManyRunsProgress last;
  ManyRunsHooks hooks;
  hooks.progress = [&last](const ManyRunsProgress& progress) { last = progress; };
  const ManyRuns first = run_all(specs, scratch.path(), 3, hooks);
  EXPECT_FALSE(first.stopped);
  EXPECT_EQ(trained_here(first), 6U);
  EXPECT_EQ(last.done, 6U);
  EXPECT_EQ(last.running, 0U);
  EXPECT_EQ(last.steps_left, 0);
  EXPECT_EQ(last.steps_here, 6 * specs[0].settings.steps);

  const ManyRuns again = run_all(specs, scratch.path(), 1, hooks);
  EXPECT_EQ(trained_here(again), 0U);
  EXPECT_EQ(last.done, 6U);
  EXPECT_EQ(last.steps_here, 0);
  EXPECT_EQ(last.steps_left, 0);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(first.outcomes[i].status, Status::done);
    EXPECT_EQ(first.outcomes[i].record, again.outcomes[i].record);
    EXPECT_EQ(first.outcomes[i].record.at("step"), specs[i].settings.steps);
    EXPECT_EQ(first.outcomes[i].directory, scratch / runs::folder_name(specs[i]));
  }
}

TEST(ManyRuns, ContinueWhenOneFailsWhichIsRecorded) {
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(4);
  const fs::path bad = scratch / runs::folder_name(specs[1]);
  { const RunDirectory begun(bad, specs[1]); }
  fs::create_directories(runs::checkpoint_file(bad) / "in the way");
  ManyRunsProgress last;
  ManyRunsHooks hooks;
  hooks.progress = [&last](const ManyRunsProgress& progress) { last = progress; };
  const ManyRuns runs = run_all(specs, scratch.path(), 2, hooks);
  EXPECT_EQ(runs.outcomes[1].status, Status::failed);
  EXPECT_THAT(runs.outcomes[1].error, HasSubstr("checkpoint"));
  EXPECT_EQ(runs::read_file(runs::failed_file(bad)), runs.outcomes[1].error + "\n");
  EXPECT_EQ(last.failed, 1U);
  EXPECT_EQ(last.done, 3U);
  EXPECT_EQ(last.steps_left, 0);

  fs::remove_all(runs::checkpoint_file(bad));
  const ManyRuns again = run_all(specs, scratch.path(), 2);
  EXPECT_EQ(again.outcomes[1].status, Status::done);
  EXPECT_EQ(trained_here(again), 1U);
}

TEST(ManyRuns, StopOnRequestAndContinueToTheSameRecords) {
  const Scratch whole;
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(4);
  const ManyRuns uninterrupted = run_all(specs, whole.path(), 2);
  int tries = 0;
  for (bool stopped = true; stopped && tries < 100; ++tries) {
    std::atomic<int> asked = 0;
    ManyRunsHooks hooks;
    hooks.should_stop = [&asked] { return ++asked > 15; };
    const ManyRuns runs = run_all(specs, scratch.path(), 2, hooks);
    stopped = runs.stopped;
    EXPECT_EQ(runs.outcomes.size(), specs.size());
    const bool all_done = std::all_of(runs.outcomes.begin(), runs.outcomes.end(),
                                      [](const RunOutcome& run) { return run.status == Status::done; });
    EXPECT_NE(stopped, all_done);
  }
  EXPECT_GT(tries, 2);
  EXPECT_LT(tries, 100);
  for (const RunOutcome& outcome : uninterrupted.outcomes) {
    EXPECT_EQ(records_of(outcome),
              runs::read_file(runs::results_file(scratch / outcome.directory.filename().string())));
  }
}

TEST(ManyRuns, LeaveARunToTheProcessThatTrainsItAndCheckAtTheEnd) {
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(3);
  auto held = std::make_unique<RunDirectory>(scratch / runs::folder_name(specs[0]), specs[0]);
  std::atomic<bool> others_done = false;
  ManyRunsHooks hooks;
  hooks.progress = [&](const ManyRunsProgress& progress) {
    others_done = others_done || (progress.done == 2 && progress.elsewhere == 1);
  };
  auto runs = std::async(std::launch::async, [&] { return run_all(specs, scratch.path(), 2, hooks); });
  while (!others_done) {
    ASSERT_NE(runs.wait_for(std::chrono::milliseconds(5)), std::future_status::ready);
  }
  held.reset();
  const ManyRuns ended = runs.get();
  EXPECT_EQ(ended.outcomes[0].status, Status::done);
  EXPECT_EQ(trained_here(ended), 3U);
}

TEST(ManyRuns, StopWhileTheyWaitForOthers) {
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(1);
  const RunDirectory held(scratch / runs::folder_name(specs[0]), specs[0]);
  std::atomic<bool> seen = false;
  ManyRunsHooks hooks;
  hooks.progress = [&seen](const ManyRunsProgress& progress) { seen = seen || progress.elsewhere == 1; };
  hooks.should_stop = [&seen] { return seen.load(); };
  const ManyRuns runs = run_all(specs, scratch.path(), 2, hooks);
  EXPECT_TRUE(runs.stopped);
  EXPECT_EQ(runs.outcomes[0].status, Status::waiting);
}

TEST(ManyRuns, DoNotRepeatAFailureThatHappenedElsewhereMeanwhile) {
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(1);
  auto held = std::make_unique<RunDirectory>(scratch / runs::folder_name(specs[0]), specs[0]);
  ManyRunsHooks hooks;
  hooks.progress = [&held](const ManyRunsProgress& progress) {
    if (progress.elsewhere == 1 && held != nullptr) {
      held->fail("no memory there");
      // The clock of a file server may be an hour behind ours.
      const fs::path file = runs::failed_file(held->path());
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
      held.reset();
    }
  };
  const ManyRuns runs = run_all(specs, scratch.path(), 1, hooks);
  EXPECT_EQ(runs.outcomes[0].status, Status::failed);
  EXPECT_EQ(runs.outcomes[0].error, "no memory there");
  EXPECT_FALSE(runs.outcomes[0].here);
}

TEST(ManyRuns, OfTwoLaunchersOnOneFolderRunOnceEach) {
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(8);
  auto other = std::async(std::launch::async, [&] { return run_all(specs, scratch.path(), 2); });
  const ManyRuns one = run_all(specs, scratch.path(), 2);
  const ManyRuns two = other.get();
  EXPECT_EQ(trained_here(one) + trained_here(two), specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(one.outcomes[i].status, Status::done) << one.outcomes[i].error;
    EXPECT_EQ(two.outcomes[i].status, Status::done) << two.outcomes[i].error;
    EXPECT_EQ(one.outcomes[i].record, two.outcomes[i].record);
  }
}

TEST(ManyRuns, AreCheckedBeforeTheFirstBegins) {
  const Scratch scratch;
  std::vector<RunSpec> specs = small_specs(3);
  specs[2].settings.model = "transformer";
  EXPECT_THROW((void)run_all(specs, scratch.path(), 1), std::invalid_argument);
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

// On any machine that reads them.
TEST(ManyRuns, AreCheckedForTheirDataBeforeAFolderIsMade) {
  const Scratch scratch;
  const base::Assignments missing{{"folder", (scratch / "digits").string()}};
  std::vector<RunSpec> specs = small_specs(2);
  specs.push_back(runs::resolve("ColoredMNIST", "erm", missing));
  const fs::path root = scratch / "runs";
  EXPECT_THAT([&] { require_runnable(specs, root); },
              ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr((scratch / "digits").string())));
  EXPECT_FALSE(fs::exists(root));
  specs.pop_back();
  EXPECT_NO_THROW(require_runnable(specs, root));
  EXPECT_FALSE(fs::exists(root));
}

TEST(ManyRuns, AreCheckedForModelsThatDoNotTakeTheirData) {
  const Scratch scratch;
  std::vector<RunSpec> specs = small_specs(2);
  runs::set(specs[1], "model", "resnet18");
  EXPECT_THAT(
      [&] { require_runnable(specs, scratch / "runs"); },
      ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr("got 'resnet18', which is for images")));
  EXPECT_FALSE(fs::exists(scratch / "runs"));
}

// The inputs of a table follow from its training rows, and so from the test environments.
TEST(ManyRuns, AreCheckedForWeightsWithTheirOwnTestEnvironments) {
  const Scratch scratch;
  std::string table = "site,colour,y\n";
  for (int i = 0; i < 60; ++i) {
    const char site = "ABC"[i % 3];
    table += std::string(1, site) + "," +
             (site == 'C' && i % 2 == 0 ? "green"
              : i % 4 < 2               ? "red"
                                        : "blue") +
             "," + (i % 5 < 2 ? "yes" : "no") + "\n";
  }
  runs::testing::write(scratch / "x.csv", table);
  const auto spec_for = [&](const char* test_envs) {
    const base::Assignments options{{"file", (scratch / "x.csv").string()},
                                    {"label", "y"},
                                    {"environment", "site"},
                                    {"steps", "1"},
                                    {"test_envs", test_envs}};
    return runs::resolve("table", "erm", options);
  };
  std::vector<RunSpec> specs = {spec_for("0"), spec_for("1"), spec_for("2")};
  const ManyRuns trained = run_all(std::span(specs).first(1), scratch / "first", 1);
  ASSERT_EQ(trained.outcomes[0].status, Status::done) << trained.outcomes[0].error;
  const fs::path weights = trained.outcomes[0].directory / "model.safetensors";
  for (RunSpec& spec : specs) {
    spec.weights = weights.string();
    spec.weights_sha256 = data::sha256_of_file(weights);
  }
  EXPECT_NO_THROW(require_runnable(std::span(specs).first(2), scratch / "runs"));
  EXPECT_THAT([&] { require_runnable(specs, scratch / "runs"); },
              ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr("does not match the model")))
      << "no training row of the third is green";
}

TEST(ManyRuns, HaveEqualFailuresOnce) {
  ManyRuns runs;
  const auto add = [&runs](const char* folder, const char* error) {
    RunOutcome outcome;
    outcome.directory = folder;
    outcome.error = error;
    runs.outcomes.push_back(outcome);
  };
  add("s/a", "no data");
  add("s/b", "");
  add("s/c", "disk full");
  add("s/d", "no data");
  const std::vector<Failure> failures = failures_of(runs);
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(text_of(failures[0]), "2 runs failed, such as s/a: no data");
  EXPECT_EQ(text_of(failures[1]), "s/c failed: disk full");
  EXPECT_TRUE(failures_of({}).empty());
}

TEST(ManyRuns, ThatAreFinishedNeedNoDevice) {
  const Scratch scratch;
  const std::vector<RunSpec> here = small_specs(1);
  const fs::path done = run_all(here, scratch.path(), 1).outcomes.front().directory;
  std::vector<RunSpec> there = here;
  there[0].device = "cuda:1000";
  EXPECT_THROW(require_runnable(there, scratch.path()), std::invalid_argument);
  const fs::path folder = scratch.path() / runs::folder_name(there[0]);
  fs::copy(done, folder, fs::copy_options::recursive);
  std::string spec = runs::read_file(folder / "spec.json");
  const std::string device = R"("device": "cpu")";
  ASSERT_NE(spec.find(device), std::string::npos) << spec;
  spec.replace(spec.find(device), device.size(), R"("device": "cuda")");
  runs::replace_file(folder / "spec.json", spec);
  EXPECT_NO_THROW(require_runnable(there, scratch.path()));
  EXPECT_EQ(run_all(there, scratch.path(), 1).outcomes.front().status, Status::done);
}

TEST(ManyRuns, RunInTheFoldersThatTheyAreGiven) {
  const Scratch scratch;
  const std::vector<RunSpec> specs = small_specs(2);
  const std::vector<fs::path> folders = {scratch / "a", scratch / "b"};
  const ManyRuns runs = run_all(specs, folders, 2, {});
  EXPECT_EQ(runs.outcomes[1].directory, scratch / "b");
  EXPECT_TRUE(fs::exists(runs::done_file(scratch / "a")));
  EXPECT_TRUE(fs::exists(runs::done_file(scratch / "b")));
}

TEST(ManyRuns, SayOnceWhatSeveralHaveToSay) {
  const Scratch scratch;
  std::vector<RunSpec> specs = small_specs(3);
  // A checkpoint that cannot be read: the run says so and starts again.
  for (const RunSpec& spec : specs) {
    (void)run_all(std::span(&spec, 1), scratch.path(), 1);
  }
  const fs::path& root = scratch.path();
  for (const RunSpec& spec : specs) {
    fs::remove(root / runs::folder_name(spec) / "done");
    runs::testing::write(root / runs::folder_name(spec) / "checkpoint", "nonsense");
  }
  std::vector<std::string> notices;
  ManyRunsHooks hooks;
  hooks.notice = [&](std::string_view sentence) { notices.emplace_back(sentence); };
  (void)run_all(specs, root, 2, hooks);
  EXPECT_FALSE(notices.empty());
  EXPECT_EQ(std::set<std::string>(notices.begin(), notices.end()).size(), notices.size());
}

}  // namespace
}  // namespace pair::sweep::many_runs_test
