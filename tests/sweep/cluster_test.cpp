#include "pair/sweep/cluster.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "pair/base/temporary_folder.h"

namespace pair::sweep::cluster_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

// Programs in place of Slurm's, first on PATH while it lives.
class FakeSlurm {
 public:
  FakeSlurm() : path_before_(std::getenv("PATH")) {
    ::setenv("PATH", (folder_.path().string() + ":" + path_before_).c_str(), 1);
  }
  ~FakeSlurm() { ::setenv("PATH", path_before_.c_str(), 1); }
  FakeSlurm(const FakeSlurm&) = delete;
  FakeSlurm& operator=(const FakeSlurm&) = delete;

  void add(const std::string& program, const std::string& commands) const {
    const fs::path file = folder_.path() / program;
    std::ofstream(file) << "#!/bin/sh\n" << commands << '\n';
    fs::permissions(file, fs::perms::owner_all);
  }
  [[nodiscard]] fs::path folder() const { return folder_.path(); }

 private:
  std::string path_before_;
  base::TemporaryFolder folder_{"pair-test"};
};

Worker worker_in(const fs::path& folder) {
  return {folder, {"/opt/pair/bin/pair", "sweep", "launch", "--out", folder.string()}};
}

TEST(ShellQuoted, IsReadBackByTheShellAsOneWord) {
  EXPECT_EQ(shell_quoted("--out=runs/a_1"), "--out=runs/a_1");
  EXPECT_EQ(shell_quoted("my runs"), "'my runs'");
  EXPECT_EQ(shell_quoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(SlurmScript, AsksForOneTaskPerWorkerAndForANoticeBeforeTheTimeLimit) {
  const SlurmOptions options{.workers = 20,
                             .partition = "gpu",
                             .gpus = 1,
                             .cpus = 4,
                             .time = "2:00:00",
                             .notice = 90,
                             .sbatch = {"--account=biology --qos=high"},
                             .setup = {"module load cuda"}};
  const std::string script = slurm_script(options, worker_in("/data/my sweep"));
  EXPECT_THAT(script,
              AllOf(HasSubstr("#SBATCH --array=0-19\n"), HasSubstr("#SBATCH --partition=gpu\n"),
                    HasSubstr("#SBATCH --gres=gpu:1\n"), HasSubstr("#SBATCH --cpus-per-task=4\n"),
                    HasSubstr("#SBATCH --time=2:00:00\n"), HasSubstr("#SBATCH --signal=B:USR1@90\n"),
                    HasSubstr("#SBATCH --account=biology --qos=high\n"), HasSubstr("\nmodule load cuda\n"),
                    HasSubstr("--out '/data/my sweep' &\n"), HasSubstr("scontrol requeue")));
}

TEST(SlurmScript, LeavesToTheClusterWhatIsNotGiven) {
  const std::string script = slurm_script({}, worker_in("/data/sweep"));
  EXPECT_THAT(script, AllOf(Not(HasSubstr("--partition")), Not(HasSubstr("--gres")), Not(HasSubstr("--time")),
                            Not(HasSubstr("--cpus"))));
}

TEST(SlurmScript, RefusesLineBreaksThatWouldBecomeCommands) {
  SlurmOptions options;
  options.partition = "gpu\nrm -rf";
  EXPECT_THAT([&] { slurm_script(options, worker_in("/data")); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("--partition: expected one line")));
  options.partition = "gpu";
  options.sbatch = {"--qos=high\n"};
  EXPECT_THAT([&] { slurm_script(options, worker_in("/data")); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("--sbatch: expected one line")));
}

TEST(SubmitToSlurm, KeepsTheNumbersOfItsJobs) {
  const FakeSlurm slurm;
  const base::TemporaryFolder sweep("pair-test");
  slurm.add("sbatch", "echo 'a greeting of the site'; echo '17;cluster'");
  EXPECT_EQ(submit_to_slurm({}, worker_in(sweep.path())), "17");
  slurm.add("sbatch", "echo 18");
  EXPECT_EQ(submit_to_slurm({}, worker_in(sweep.path())), "18");
  EXPECT_THAT(slurm_jobs(sweep.path()), ElementsAre("17", "18"));
  EXPECT_TRUE(fs::exists(sweep.path() / "slurm" / "workers.sh"));
}

TEST(SubmitToSlurm, RepeatsWhatSbatchSays) {
  const FakeSlurm slurm;
  const base::TemporaryFolder sweep("pair-test");
  slurm.add("sbatch", "echo 'sbatch: error: invalid partition specified: gpu' >&2; exit 1");
  EXPECT_THAT([&] { submit_to_slurm({}, worker_in(sweep.path())); },
              ThrowsMessage<std::runtime_error>(HasSubstr("invalid partition specified: gpu")));
  slurm.add("sbatch", "echo queued");
  EXPECT_THAT([&] { submit_to_slurm({}, worker_in(sweep.path())); },
              ThrowsMessage<std::runtime_error>(HasSubstr("expected the number of a job, got 'queued'")));
  EXPECT_THAT(slurm_jobs(sweep.path()), IsEmpty());
}

TEST(SlurmStates, CountsTasksAndForgetsJobsThatAreOver) {
  const FakeSlurm slurm;
  slurm.add(
      "squeue",
      "case \"$*\" in\n"
      "  *--jobs=16,17,18*) echo '17|RUNNING|None'; echo '18|RUNNING|None'; echo '17|PENDING|Resources'\n"
      "                     echo '17|PENDING|Priority' ;;\n"
      "  *) echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1 ;;\n"
      "esac");
  const std::vector<SlurmState> states = slurm_states({"16", "17", "18"});
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].job, "17");
  EXPECT_THAT(states[0].tasks, UnorderedElementsAre(Pair("running", 1U), Pair("pending", 2U)));
  EXPECT_EQ(states[1].job, "18");
  EXPECT_TRUE(slurm_states({"16"}).empty());
  EXPECT_TRUE(slurm_states({}).empty());
  EXPECT_EQ(states[0].reason, "Resources");
  slurm.add("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1");
  EXPECT_THAT([] { slurm_states({"17"}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("Unable to contact slurm controller")));
}

TEST(WorkerLine, PutsTheWorkerIntoTheUsersCommand) {
  const Worker worker{"/s", {"/bin/pair", "--out", "my sweep"}};
  EXPECT_EQ(worker_line("qsub -N w{n} -b y {}", 3, worker),
            "qsub -N w3 -b y '/bin/pair --out '\\''my sweep'\\'''");
  EXPECT_THAT([&] { worker_line("qsub", 0, worker); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("--command: expected a command with {}")));
}

TEST(SubmitByCommand, RunsTheCommandOncePerWorker) {
  const base::TemporaryFolder sweep("pair-test");
  const Worker worker{sweep.path(), {"echo", "trained"}};
  EXPECT_THAT(submit_by_command("echo {n}; sh -c {}", 2, worker), ElementsAre("0\ntrained", "1\ntrained"));
  EXPECT_THAT([&] { submit_by_command("echo no queue; false {}", 1, worker); },
              ThrowsMessage<std::runtime_error>(HasSubstr("--command failed: no queue")));
}

}  // namespace
}  // namespace pair::sweep::cluster_test
