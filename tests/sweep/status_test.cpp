#include "pair/sweep/status.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/support/without_permissions.h"

namespace pair::sweep::status_test {
namespace {

namespace fs = std::filesystem;
using runs::RunDirectory;
using runs::testing::Scratch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A sweep of six jobs, none of which anybody trains: what a launcher leaves on disk is written by hand.
class Status : public ::testing::Test {
 protected:
  Status() {
    Definition definition;
    definition.datasets = {"cmnist"};
    definition.algorithms = {"erm", "vrex"};
    definition.n_hparams = 3;
    definition.n_trials = 1;
    jobs = jobs_of(definition);
  }

  [[nodiscard]] fs::path folder_of(std::size_t job) const { return scratch / jobs[job].folder; }
  // The folder as somebody holds it who trains there.
  [[nodiscard]] std::unique_ptr<RunDirectory> begin(std::size_t job) const {
    auto directory = std::make_unique<RunDirectory>(folder_of(job), jobs[job].spec);
    directory->record(R"({"step":1})");
    return directory;
  }
  void finish(std::size_t job) const { begin(job)->finish({1, 0.5}, {}); }
  [[nodiscard]] State state(std::size_t job) const { return status_of(jobs[job], scratch.path()).state; }

  Scratch scratch;
  std::vector<Job> jobs;
};

TEST_F(Status, TellsEveryStateFromTheFolder) {
  finish(0);
  const std::unique_ptr<RunDirectory> training = begin(1);
  begin(2)->fail("the loss is not finite");
  finish(3);
  runs::testing::write(runs::results_file(folder_of(3)), "{\"step\":2}\n");
  begin(4).reset();

  const SweepStatus status = status_of(jobs, scratch.path());
  std::vector<State> found;
  for (const JobStatus& job : status.jobs) {
    found.push_back(job.state);
  }
  EXPECT_THAT(found, ElementsAre(State::done, State::running, State::failed, State::broken, State::incomplete,
                                 State::not_begun));
  EXPECT_EQ(status.jobs[2].message, "the loss is not finite");
  EXPECT_THAT(status.jobs[3].message, HasSubstr("has changed since the run finished"));
  EXPECT_EQ(status.counts.all(), 6U);
  EXPECT_EQ(status.counts.of(State::done), 1U);
  ASSERT_EQ(status.cells.size(), 2U);
  EXPECT_EQ(status.cells[0].algorithm, "erm");
  EXPECT_EQ(status.cells[0].counts.all(), 3U);
  EXPECT_EQ(status.cells[0].counts.of(State::running), 1U);
  EXPECT_EQ(status.cells[1].counts.of(State::done), 0U);
  EXPECT_TRUE(status.strangers.empty());
}

TEST_F(Status, ChangesNothing) {
  fs::create_directories(folder_of(0));
  EXPECT_EQ(state(0), State::not_begun);
  EXPECT_TRUE(fs::is_empty(folder_of(0)));
  EXPECT_FALSE(fs::exists(folder_of(1)));
  EXPECT_EQ(state(1), State::not_begun);
  EXPECT_FALSE(fs::exists(folder_of(1)));
}

TEST_F(Status, NamesRunsThatAreNotJobs) {
  finish(0);
  fs::rename(folder_of(0), scratch / "another");
  const SweepStatus status = status_of(jobs, scratch.path());
  EXPECT_THAT(status.strangers, ElementsAre("another"));
  EXPECT_EQ(status.counts.of(State::not_begun), 6U);
}

TEST_F(Status, CallsAFileInTheWayBroken) {
  runs::testing::write(folder_of(0), "in the way");
  EXPECT_EQ(state(0), State::broken);
  mend(jobs[0], scratch.path());
  EXPECT_TRUE(fs::exists(folder_of(0)));
}

TEST_F(Status, RepairsARunWhoseRecordsWereLost) {
  finish(0);
  runs::testing::write(runs::results_file(folder_of(0)), "");
  EXPECT_EQ(state(0), State::broken);
  mend(jobs[0], scratch.path());
  EXPECT_EQ(state(0), State::incomplete);
}

TEST_F(Status, RepairsNothingThatIsCompleteOrForeign) {
  finish(0);
  mend(jobs[0], scratch.path());
  EXPECT_EQ(state(0), State::done);
  fs::rename(folder_of(0), folder_of(1));
  EXPECT_EQ(state(1), State::broken) << "the run of another draw";
  mend(jobs[1], scratch.path());
  EXPECT_TRUE(fs::exists(runs::done_file(folder_of(1))));
}

TEST_F(Status, WritesTheSpecOfAFinishedRunAgain) {
  finish(0);
  const fs::path spec = runs::spec_file(folder_of(0));
  const std::string text = runs::read_file(spec);
  const auto repaired = [&] {
    EXPECT_EQ(state(0), State::broken);
    mend(jobs[0], scratch.path());
    EXPECT_EQ(state(0), State::done);
    EXPECT_EQ(runs::read_file(spec), text);
  };
  for (const char* const damaged : {"", "{", "{}"}) {
    runs::testing::write(spec, damaged);
    repaired();
  }
  fs::remove(spec);
  repaired();
  fs::remove(spec);
  fs::create_directory(spec);
  repaired();
}

TEST_F(Status, KeepsAFinishedRunWhoseSpecIsAFolderWithFiles) {
  finish(0);
  fs::remove(runs::spec_file(folder_of(0)));
  fs::create_directory(runs::spec_file(folder_of(0)));
  runs::testing::write(runs::spec_file(folder_of(0)) / "file", "somebody's");
  mend(jobs[0], scratch.path());
  EXPECT_TRUE(fs::exists(runs::done_file(folder_of(0))));
  const JobStatus status = status_of(jobs[0], scratch.path());
  EXPECT_EQ(status.state, State::broken);
  EXPECT_THAT(status.message,
              HasSubstr("spec.json cannot be used: it is not a regular file; delete or move it"));
  EXPECT_FALSE(delete_run(jobs[0], scratch.path()));
}

TEST_F(Status, DoesNotWriteTheSpecOfARunWhoseRecordsHaveChangedOrWhoseCheckpointIsOfAnother) {
  finish(0);
  runs::testing::write(runs::spec_file(folder_of(0)), "");
  runs::testing::write(runs::results_file(folder_of(0)), "{\"step\":2}\n");
  {
    const std::unique_ptr<RunDirectory> training = begin(1);
    training->save({1, 0.5, "state"});
    training->finish({1, 0.5}, {});
  }
  runs::testing::write(runs::spec_file(folder_of(1)), "");
  std::string checkpoint = runs::read_file(runs::checkpoint_file(folder_of(1)));
  const std::size_t hash = checkpoint.find(R"("spec":")") + 8;
  checkpoint[hash] = checkpoint[hash] == '0' ? '1' : '0';
  runs::testing::write(runs::checkpoint_file(folder_of(1)), checkpoint);
  for (const std::size_t job : {0, 1}) {
    mend(jobs[job], scratch.path());
    EXPECT_EQ(state(job), State::broken);
    EXPECT_EQ(runs::read_file(runs::spec_file(folder_of(job))), "");
    EXPECT_TRUE(fs::exists(runs::done_file(folder_of(job))));
  }
}

TEST_F(Status, CallsASpecThatIsAFolderWithFilesBrokenAndDeletesTheRun) {
  begin(0).reset();
  fs::remove(runs::spec_file(folder_of(0)));
  fs::create_directory(runs::spec_file(folder_of(0)));
  runs::testing::write(runs::spec_file(folder_of(0)) / "file", "somebody's");
  const JobStatus status = status_of(jobs[0], scratch.path());
  EXPECT_EQ(status.state, State::broken);
  EXPECT_THAT(status.message, HasSubstr("spec.json is a folder that is not empty"));
  EXPECT_TRUE(is_own(jobs[0], scratch.path()));
  EXPECT_TRUE(delete_run(jobs[0], scratch.path()));
  EXPECT_EQ(state(0), State::not_begun);
}

TEST_F(Status, BeginsAJobAgainWhoseSpecIsDamaged) {
  for (const char* const damaged : {"", "{"}) {
    begin(0).reset();
    runs::testing::write(runs::spec_file(folder_of(0)), damaged);
    EXPECT_EQ(state(0), State::incomplete);
    EXPECT_NO_THROW(finish(0));
    EXPECT_EQ(state(0), State::done);
    fs::remove_all(folder_of(0));
  }
}

TEST_F(Status, BeginsAJobAgainWhoseSpecIsAnEmptyFolder) {
  begin(0).reset();
  fs::remove(runs::spec_file(folder_of(0)));
  fs::create_directory(runs::spec_file(folder_of(0)));
  EXPECT_EQ(state(0), State::incomplete);
  EXPECT_NO_THROW(finish(0));
  EXPECT_EQ(state(0), State::done);
}

TEST_F(Status, DoesNotWaitForPipes) {
  begin(0).reset();
  fs::remove(runs::results_file(folder_of(0)));
  ASSERT_EQ(::mkfifo(runs::results_file(folder_of(0)).c_str(), 0600), 0);
  EXPECT_EQ(state(0), State::broken);
  EXPECT_TRUE(delete_run(jobs[0], scratch.path()));
  begin(1).reset();
  ASSERT_EQ(::mkfifo(runs::failed_file(folder_of(1)).c_str(), 0600), 0);
  EXPECT_EQ(state(1), State::failed);
  EXPECT_THAT(status_of(jobs[1], scratch.path()).message, HasSubstr("it is not a regular file"));
  begin(2).reset();
  fs::create_symlink("/dev/zero", runs::done_file(folder_of(2)));
  EXPECT_EQ(state(2), State::broken);
}

TEST_F(Status, KeepsDoneWhereTheRecordsAreNotARegularFile) {
  finish(0);
  const fs::path records = runs::results_file(folder_of(0));
  const auto expect_kept = [&](const char* what) {
    EXPECT_EQ(state(0), State::broken) << what;
    mend(jobs[0], scratch.path());
    EXPECT_TRUE(fs::exists(runs::done_file(folder_of(0)))) << what;
    EXPECT_EQ(state(0), State::broken) << what;
  };
  fs::rename(records, scratch / "records");
  ASSERT_EQ(::mkfifo(records.c_str(), 0600), 0);
  expect_kept("a pipe");
  fs::remove(records);
  fs::create_directory(records);
  expect_kept("a folder");
  fs::remove(records);
  fs::rename(scratch / "records", records);
  EXPECT_EQ(state(0), State::done) << "once the records are back";
  fs::remove(records);
  mend(jobs[0], scratch.path());
  EXPECT_FALSE(fs::exists(runs::done_file(folder_of(0)))) << "without records, it can start again";
}

TEST_F(Status, SaysThatPermissionsAreMissing) {
  fs::permissions(scratch.path(), fs::perms::all);
  finish(0);
  fs::permissions(folder_of(0), fs::perms::none);
  const tests::WithoutPermissions nobody;
  const JobStatus status = status_of(jobs[0], scratch.path());
  EXPECT_EQ(status.state, State::broken);
  EXPECT_THAT(status.message, HasSubstr("Permission denied"));
}

TEST_F(Status, DeletesWhatIsIncompleteAndNotRunning) {
  finish(0);
  const std::unique_ptr<RunDirectory> training = begin(1);
  begin(2)->fail("why");
  begin(3).reset();
  EXPECT_FALSE(delete_run(jobs[0], scratch.path()));
  EXPECT_FALSE(delete_run(jobs[1], scratch.path()));
  EXPECT_TRUE(delete_run(jobs[2], scratch.path()));
  EXPECT_TRUE(delete_run(jobs[3], scratch.path()));
  runs::testing::write(folder_of(4), "somebody's");
  EXPECT_FALSE(delete_run(jobs[4], scratch.path()));
  EXPECT_TRUE(fs::exists(folder_of(4)));
  EXPECT_EQ(state(0), State::done);
  EXPECT_EQ(state(1), State::running);
  EXPECT_FALSE(fs::exists(folder_of(2)));
  EXPECT_FALSE(fs::exists(folder_of(3)));
}

}  // namespace
}  // namespace pair::sweep::status_test
