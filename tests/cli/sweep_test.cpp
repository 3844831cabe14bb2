#include "pair/cli/sweep.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "pair/cli/left_out.h"
#include "pair/cli/train_commands.h"
#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"
#include "pair/sweep/sweep_file.h"
#include "tests/cli/process.h"
#include "tests/select/fixtures.h"
#include "tests/support/without_permissions.h"

// pair sweep status, collect and delete-incomplete as a user types them. They need no torch, but the program
// has them only beside what launches, so they are called here.

namespace pair::cli::test::sweep_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using select::testing::Scratch;
using ::testing::HasSubstr;
using ::testing::Not;

struct Ended {
  int status;
  std::string out;
  std::string err;
};

// erm and irmv1 on cmnist, two draws and two trials, every run begun and none done.
class Sweep : public ::testing::Test {
 protected:
  void SetUp() override {
    sweep::Definition definition;
    definition.datasets = {"cmnist"};
    definition.algorithms = {"erm", "irmv1"};
    definition.n_hparams = 2;
    definition.n_trials = 2;
    sweep::add_to_sweep(scratch.path(), definition);
    for (const sweep::Job& job : sweep::jobs_of(definition)) {
      const json record{{"args",
                         {{"algorithm", job.spec.algorithm},
                          {"dataset", "cmnist"},
                          {"test_envs", {2, 3, 4}},
                          {"trial_seed", job.spec.seed},
                          {"hparams_seed", job.spec.hparams_seed}}},
                        {"step", 1},
                        {"nll", 0.5},
                        {"penalty", 0.1},
                        {"env0_in_acc", 0.8},
                        {"env1_in_acc", 0.8},
                        {"env2_out_acc", 0.6},
                        {"env3_out_acc", 0.6},
                        {"env4_out_acc", 0.6}};
      runs::RunDirectory(scratch / job.folder, job.spec).record(record.dump());
    }
  }

  [[nodiscard]] Ended run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"pair", "sweep"});
    words.insert(words.end(), {"--out", scratch.path().string()});
    std::vector<const char*> argv;
    for (const std::string& word : words) {
      argv.push_back(word.c_str());
    }
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Context context{in, out, err};
    const int status =
        cli::run(static_cast<int>(argv.size()), argv.data(), context, [](CLI::App& app, Context& inner) {
          CLI::App& sweep = add_sweep(app);
          add_sweep_launch(sweep, inner);
          add_sweep_keeping(sweep, inner);
        });
    return {status, out.str(), err.str()};
  }

  [[nodiscard]] int folders() const {
    int count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(scratch.path())) {
      count += entry.is_directory() ? 1 : 0;
    }
    return count;
  }

  Scratch scratch;
};

TEST_F(Sweep, StatusShowsTheJobsThatAreAskedFor) {
  const json all = json::parse(run({"status", "--json"}).out);
  EXPECT_EQ(all["jobs"], 8);
  const json some = json::parse(run({"status", "--algorithms", "IRM", "--n-trials", "1", "--json"}).out);
  EXPECT_EQ(some["jobs"], 2);
  EXPECT_EQ(some["incomplete"], 2);
  EXPECT_EQ(some["cells"].size(), 1U);
  EXPECT_EQ(some["cells"][0]["algorithm"], "irmv1");
  EXPECT_TRUE(some["strangers"].empty()) << "the sweep's other runs are not strangers";
  EXPECT_THAT(run({"status", "--datasets", "cmnist"}).out, HasSubstr("8 runs: "));
}

TEST_F(Sweep, TakesItsFolderAsAPlainWord) {
  const std::string folder = scratch.path().string();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"status"},
                                             {"collect", "--criterion", "pair", "--validation", "training",
                                              "--losses", "nll,penalty", "--json"},
                                             {"delete-incomplete", "--dry-run"},
                                             {"cancel", "--dry-run"}}) {
    std::vector<std::string> plain{"sweep", words.front(), folder};
    plain.insert(plain.end(), words.begin() + 1, words.end());
    const Finished finished = run_pair(plain);
    const Ended ended = run(words);
    EXPECT_EQ(finished.status, ended.status) << words.front();
    EXPECT_EQ(finished.out, ended.out) << words.front();
    EXPECT_EQ(finished.status, words.front() == "cancel" ? 2 : 0) << finished.err;
  }
}

TEST_F(Sweep, CollectReadsTheJobsThatAreAskedFor) {
  const Ended ended = run({"collect", "--algorithms", "erm", "--criterion", "pair", "--validation",
                           "training", "--losses", "nll,penalty"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("4 runs, 4 records"));
  EXPECT_THAT(ended.out, Not(HasSubstr("irmv1")));
  EXPECT_THAT(ended.out, HasSubstr("-------- Not complete\n4 runs: "));
}

TEST_F(Sweep, CollectLeavesOutADoneRunWhoseRecordsWereAltered) {
  const sweep::Job job = sweep::jobs_of(sweep::read_sweep(scratch.path())).front();
  {
    runs::RunDirectory directory(scratch / job.folder, job.spec);
    directory.finish({1, 0.5}, {});  // without the record that is there
  }
  std::string records = runs::read_file(
      runs::results_file(scratch / sweep::jobs_of(sweep::read_sweep(scratch.path()))[1].folder));
  runs::replace_file(runs::results_file(scratch / job.folder), records);
  const Ended ended =
      run({"collect", "--criterion", "pair", "--validation", "training", "--losses", "nll,penalty"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("7 runs, 7 records"));
  EXPECT_THAT(ended.err, HasSubstr("pair: left out: " + (scratch / job.folder).string() +
                                   "/results.jsonl does not hold the records that the run ended with"));
  EXPECT_THAT(ended.out, HasSubstr(job.folder + ": broken: "));
}

TEST_F(Sweep, CollectSaysWhichRunsAreNotTheSweeps) {
  fs::rename(scratch / sweep::jobs_of(sweep::read_sweep(scratch.path())).front().folder,
             scratch / "a\x1b[31m");
  const Ended ended =
      run({"collect", "--criterion", "pair", "--validation", "training", "--losses", "nll,penalty"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("7 runs, 7 records"));
  EXPECT_THAT(ended.err, HasSubstr("pair: 1 folder holds runs that are not among the sweep's runs, such as "
                                   "a?[31m; they are left out\n"));
  EXPECT_THAT(run({"status"}).out, HasSubstr("such as a?[31m\n"));
}

TEST_F(Sweep, SelectSaysWhichRunsAreNotTheSweeps) {
  std::ostringstream err;
  const std::vector<fs::path> folders{scratch.path()};
  say_strangers(folders, err);
  EXPECT_EQ(err.str(), "");
  const std::vector<sweep::Job> jobs = sweep::jobs_of(sweep::read_sweep(scratch.path()));
  fs::create_directories(scratch / "another");
  fs::copy_file(scratch / jobs[0].folder / "results.jsonl", scratch / "another" / "results.jsonl");
  say_strangers(folders, err);
  EXPECT_EQ(err.str(), "pair: " + scratch.path().string() +
                           ": 1 folder holds runs that are not among the sweep's runs, such as another; they "
                           "are included here, but not by 'pair sweep collect'\n");
}

// As somebody may who wants other jobs: half of the runs that are there are none of them.
TEST_F(Sweep, DoesNotMixRunsOfAnAlteredSweepJson) {
  std::string text = runs::read_file(sweep::sweep_file(scratch.path()));
  const std::size_t at = text.find("\"irmv1\"");
  ASSERT_NE(at, std::string::npos);
  runs::replace_file(sweep::sweep_file(scratch.path()), text.replace(at, 7, "\"vrex\""));
  const Ended refused = run({"status"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("sweep.json was changed"));
  // Sweeps of older versions do not list their folders.
  json older = json::parse(text);
  older.erase("folders");
  runs::replace_file(sweep::sweep_file(scratch.path()), older.dump());
  EXPECT_THAT(run({"status"}).out, HasSubstr("4 folders hold runs that are not among the sweep's runs"));
  const Ended ended =
      run({"collect", "--criterion", "pair", "--validation", "training", "--losses", "nll,penalty"});
  EXPECT_THAT(ended.out, HasSubstr("4 runs, 4 records"));
  EXPECT_THAT(ended.err, HasSubstr("pair: 4 folders hold runs that are not among the sweep's runs"));
}

TEST_F(Sweep, DeletesARunWhoseSpecIsAFolderWithFiles) {
  const std::string folder = sweep::jobs_of(sweep::read_sweep(scratch.path())).front().folder;
  fs::remove(scratch / folder / "spec.json");
  fs::create_directory(scratch / folder / "spec.json");
  runs::replace_file(scratch / folder / "spec.json" / "file", "somebody's");
  EXPECT_THAT(run({"status"}).out, HasSubstr(folder + ": broken: "));
  EXPECT_THAT(run({"delete-incomplete"}).out, HasSubstr("8 incomplete runs deleted"));
  EXPECT_FALSE(fs::exists(scratch / folder));
}

TEST_F(Sweep, SaysThatSweepJsonMayNotBeRead) {
  fs::permissions(scratch.path(), fs::perms::all);
  fs::permissions(sweep::sweep_file(scratch.path()), fs::perms::none);
  const tests::WithoutPermissions nobody;
  const Ended ended = run({"status"});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("sweep.json: Permission denied"));
}

TEST_F(Sweep, DoesNotBeginInAFolderWithAFolderThatItCannotRead) {
  fs::permissions(scratch.path(), fs::perms::all);
  fs::remove(sweep::sweep_file(scratch.path()));
  fs::create_directory(scratch / "lost+found");
  fs::permissions(scratch / "lost+found", fs::perms::none);
  const tests::WithoutPermissions nobody;
  const Ended ended = run({"launch", "--datasets", "extrapolation-uniform", "--algorithms", "erm"});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("which holds 'lost+found'; give a new folder"));
}

TEST_F(Sweep, DoesNotWaitForASweepJsonThatIsAPipe) {
  fs::remove(sweep::sweep_file(scratch.path()));
  ASSERT_EQ(::mkfifo(sweep::sweep_file(scratch.path()).c_str(), 0600), 0);
  EXPECT_THAT(run({"status"}).err, HasSubstr("sweep.json: it is not a regular file"));
}

TEST_F(Sweep, DeletesOnlyAmongTheJobsThatAreAskedFor) {
  EXPECT_THAT(run({"delete-incomplete", "--algorithms", "irmv1", "--n-hparams", "1", "--dry-run"}).out,
              HasSubstr("2 incomplete runs to delete"));
  EXPECT_EQ(folders(), 8);
  EXPECT_THAT(run({"delete-incomplete", "--algorithms", "irmv1"}).out,
              HasSubstr("4 incomplete runs deleted"));
  EXPECT_EQ(folders(), 4);
  EXPECT_EQ(json::parse(run({"status", "--algorithms", "erm", "--json"}).out)["incomplete"], 4);
}

TEST_F(Sweep, LeavesAFolderThatItCannotReadToAPerson) {
  fs::path damaged;
  for (const fs::directory_entry& entry : fs::directory_iterator(scratch.path())) {
    damaged = entry.is_directory() ? entry.path() : damaged;
  }
  runs::replace_file(damaged / "spec.json", "{");
  runs::replace_file(runs::done_file(damaged), "done");
  for (const bool dry : {true, false}) {
    const Ended ended = run(dry ? std::vector<std::string>{"delete-incomplete", "--dry-run"}
                                : std::vector<std::string>{"delete-incomplete"});
    EXPECT_THAT(ended.err, HasSubstr(damaged.filename().string() + " is kept"));
    EXPECT_THAT(ended.out, HasSubstr(dry ? "7 incomplete runs to delete" : "7 incomplete runs deleted"));
  }
  EXPECT_TRUE(fs::exists(damaged));
}

TEST_F(Sweep, RefusesNamesThatItDoesNotHaveAndDeletesNothing) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"delete-incomplete", "--algorithms", "vrex"},
           {"delete-incomplete", "--datasets", "ColoredMNIST"},
           {"delete-incomplete", "--steps", "7"},
           {"delete-incomplete", "--search", "papr"},
           {"delete-incomplete", "--set", "steps"},
           {"delete-incomplete", "--test-envs", "x"},
       }) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.status, 2) << words[1];
    EXPECT_THAT(ended.err, HasSubstr("pair: ")) << words[1];
  }
  EXPECT_EQ(folders(), 8);
}

// The list as programs with torch have it.
Ended list(std::vector<const char*> words) {
  words.insert(words.begin(), {"pair", "list"});
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Context context{in, out, err};
  const int status =
      cli::run(static_cast<int>(words.size()), words.data(), context,
               [](CLI::App& app, Context& inner) { add_list(app, inner, train_lists(inner)); });
  return {status, out.str(), err.str()};
}

TEST(ListHparams, ShowsEitherSearch) {
  const auto rate = [](const Ended& ended) {
    for (const json& entry : json::parse(ended.out)) {
      if (entry["name"] == "erm.lr") {
        return entry["summary"].get<std::string>();
      }
    }
    return std::string();
  };
  EXPECT_EQ(rate(list({"hparams", "--json"})), "10^Uniform(-4.5, -2.5)");
  EXPECT_EQ(rate(list({"hparams", "--search", "domainbed", "--json"})), "10^Uniform(-4.5, -2.5)");
  EXPECT_EQ(rate(list({"hparams", "--search", "paper", "--json"})), "10^Uniform(-4.5, -3.5)");
  EXPECT_THAT(list({"hparams"}).out, HasSubstr("DomainBed, whose variance is biased"));
}

TEST(ListAlgorithms, SaysWhatDomainBedCallsThem) {
  EXPECT_THAT(list({"algorithms"}).out, HasSubstr("(domainbed: IB_IRM)\n"));
  for (const json& entry : json::parse(list({"algorithms", "--json"}).out)) {
    if (entry["name"] == "irmv1") {
      EXPECT_EQ(entry["domainbed"], "IRM");
    }
  }
}

TEST(ListSettings, ShowTheDefaultsOfAnAlgorithmOnADataset) {
  const auto entry = [](const char* name, const char* algorithm, const char* dataset) {
    for (const json& one :
         json::parse(list({"settings", "--algorithm", algorithm, "--dataset", dataset, "--json"}).out)) {
      if (one["name"] == name) {
        return one;
      }
    }
    return json();
  };
  EXPECT_EQ(entry("pretrain", "pair", "cmnist")["default"], "150");
  EXPECT_EQ(entry("pretrain", "pair", "ColoredMNIST")["default"], "1667");
  EXPECT_EQ(entry("pretrain", "irmv1", "cmnist")["default"], "100");
  EXPECT_THAT(entry("pretrain", "pair", "cmnist")["summary"].get<std::string>(), HasSubstr("ERM alone"));
  EXPECT_THAT(entry("pretrain", "irmv1", "cmnist")["summary"].get<std::string>(),
              HasSubstr("pretrain_penalty"));
  EXPECT_TRUE(entry("balance_lr", "irmv1", "cmnist").is_null()) << "it does not read it";
  EXPECT_TRUE(entry("penalty", "pair", "cmnist").is_null());
  EXPECT_EQ(list({"settings", "--algorithm", "irmv2"}).status, 2);
  EXPECT_EQ(list({"settings", "--search", "paper"}).status, 2);
  EXPECT_EQ(list({"datasets", "--algorithm", "erm"}).status, 2);
}

TEST(ListHparams, AreThoseOfAnAlgorithmOnADataset) {
  const Ended ended = list({"hparams", "--algorithm", "IRM", "--dataset", "cmnist"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr("irmv1.penalty"));
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr("vrex.")));
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr("ColoredMNIST")));
  EXPECT_EQ(list({"hparams", "--dataset", "cmnst"}).status, 2);
}

TEST(ListHparams, RefusesOtherSearches) {
  const Ended unknown = list({"hparams", "--search", "papr"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'paper'"));
  EXPECT_EQ(list({"datasets", "--search", "paper"}).status, 2);
  EXPECT_EQ(list({"--search", "paper"}).status, 2);
}

}  // namespace
}  // namespace pair::cli::test::sweep_test
