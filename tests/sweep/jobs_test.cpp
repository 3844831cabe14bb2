#include "pair/sweep/jobs.h"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/runs/idle_settings.h"
#include "pair/runs/settings.h"
#include "tests/support/scratch.h"

namespace pair::sweep::jobs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Definition small() {
  Definition definition;
  definition.datasets = {"cmnist", "cmnist-m"};
  definition.algorithms = {"erm", "irmv1", "pair"};
  definition.n_hparams = 4;
  definition.n_trials = 2;
  return definition;
}

std::string refusal(const Definition& definition) {
  try {
    (void)jobs_of(definition);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// all_test_env_combinations of domainbed/scripts/sweep.py.
TEST(TestEnvironments, AreDomainBedsListInItsOrder) {
  EXPECT_THAT(all_test_envs(3, false), ElementsAre(TestEnvs{0}, TestEnvs{0, 1}, TestEnvs{0, 2}, TestEnvs{1},
                                                   TestEnvs{1, 2}, TestEnvs{2}));
  EXPECT_THAT(all_test_envs(3, true), ElementsAre(TestEnvs{0}, TestEnvs{1}, TestEnvs{2}));
  EXPECT_EQ(all_test_envs(6, false).size(), 6U + 15U);
  EXPECT_THAT(all_test_envs(2, false), ElementsAre(TestEnvs{0}, TestEnvs{1})) << "one is left to train on";
  EXPECT_TRUE(all_test_envs(1, false).empty());
}

TEST(TestEnvironments, AreReadFromText) {
  EXPECT_EQ(test_envs_of("2"), TestEnvs{2});
  EXPECT_EQ(test_envs_of("0,2"), (TestEnvs{0, 2}));
  EXPECT_EQ(as_text(TestEnvs{0, 2}), "0,2");
  for (const char* text : {"", ",", "0,", "a", "-1", "1.5", "0 1", "99999999999999999999"}) {
    EXPECT_THROW((void)test_envs_of(text), std::invalid_argument) << text;
  }
}

TEST(Jobs, AreEveryTrialDatasetAlgorithmAndDraw) {
  const std::vector<Job> jobs = jobs_of(small());
  ASSERT_EQ(jobs.size(), 2U * 2 * 3 * 4);
  std::set<std::string> folders;
  std::set<std::string> places;
  for (const Job& job : jobs) {
    folders.insert(job.folder);
    places.insert(job.place());
    EXPECT_EQ(job.folder, runs::folder_name(job.spec));
    EXPECT_EQ(job.test_envs, (TestEnvs{2, 3, 4}));
  }
  EXPECT_EQ(folders.size(), jobs.size());
  EXPECT_EQ(places.size(), jobs.size());
  EXPECT_EQ(jobs[0].place(), "cmnist, erm, test environments 2,3,4, trial 0, draw 0");
  EXPECT_EQ(jobs[1].spec.hparams_seed, 1);
  EXPECT_EQ(jobs[4].spec.algorithm, "irmv1");
  EXPECT_EQ(jobs[12].spec.dataset.name, "cmnist-m");
  EXPECT_EQ(jobs[24].spec.seed, 1U);
}

TEST(Jobs, OfADatasetDependOnWhetherItsTestEnvironmentsCanBeChosen) {
  for (const data::DatasetEntry& dataset : data::datasets()) {
    Definition definition = small();
    definition.datasets = {std::string(dataset.name)};
    if (dataset.name == "images" || dataset.name == "table" || dataset.name == "text") {
      EXPECT_THROW((void)jobs_of(definition), std::invalid_argument)
          << "its environments are those of a folder or file";
      continue;
    }
    const runs::RunSpec spec = runs::resolve(dataset.name, "erm");
    const std::size_t n = data::environment_names(spec.dataset).size();
    const std::size_t sets = !chooses_test_envs(spec) ? 1 : n + n * (n - 1) / 2;
    EXPECT_EQ(jobs_of(definition).size(), 24 * sets) << dataset.name;
  }
}

TEST(Jobs, OfPicturesFollowTheEnvironmentsOfTheirFolder) {
  const tests::Scratch scratch;
  for (const char* environment : {"art", "photo", "sketch", "cartoon"}) {
    std::filesystem::create_directories(scratch / environment);
  }
  Definition definition = small();
  definition.datasets = {"images"};
  definition.set.emplace_back("folder", scratch.path().string());
  EXPECT_EQ(jobs_of(definition).size(), 24U * (4 + 6));
}

TEST(Jobs, AreTheSameEachTimeAndKeepTheirNamesInALargerSweep) {
  Definition larger = small();
  larger.n_hparams = 6;
  larger.n_trials = 3;
  larger.algorithms.insert(larger.algorithms.begin(), "vrex");
  std::set<std::string> folders;
  for (const Job& job : jobs_of(larger)) {
    folders.insert(job.folder);
  }
  for (const Job& job : jobs_of(small())) {
    EXPECT_TRUE(folders.contains(job.folder)) << job.place();
  }
  const std::vector<Definition> both = {small(), larger};
  EXPECT_EQ(jobs_of(both).size(), jobs_of(larger).size());
}

TEST(Jobs, OfDrawZeroHaveTheDefaultsAndOthersAreDrawn) {
  const std::vector<Job> jobs = jobs_of(small());
  const runs::RunSpec usual = runs::resolve("cmnist", "irmv1");
  EXPECT_EQ(runs::hash(jobs[4].spec), runs::hash(usual));
  EXPECT_NE(jobs[5].spec.settings.lr, usual.settings.lr);
  EXPECT_NE(jobs[5].spec.settings.lr, jobs[6].spec.settings.lr);
}

TEST(Jobs, TakeCommonSettingsWhereTheyMeanSomethingAndOverTheDraws) {
  Definition definition = small();
  definition.datasets.emplace_back("extrapolation-uniform");
  definition.set = {{"steps", "7"}, {"lr", "0.5"}, {"train_digits", "100"}, {"epsilon", "0.3"}};
  for (const Job& job : jobs_of(definition)) {
    EXPECT_EQ(job.spec.settings.steps, 7);
    EXPECT_EQ(job.spec.settings.lr, 0.5);
    if (job.spec.dataset.name.starts_with("cmnist")) {
      EXPECT_EQ(runs::text_of(job.spec, "train_digits"), "100");
    }
    EXPECT_EQ(runs::text_of(job.spec, "epsilon"), job.spec.algorithm == "pair" ? "0.3" : "0.1");
  }
}

// The settings that --set gives the runs decide which settings exist and which are drawn.
TEST(Jobs, TakeOptionsOfTheSolverThatIsSet) {
  Definition definition = small();
  definition.set = {{"smoothing", "2"}, {"solver", "epo_smooth"}};
  int pairs = 0;
  for (const Job& job : jobs_of(definition)) {
    const bool pair = job.spec.algorithm == "pair";
    EXPECT_EQ(job.spec.settings.solver, pair ? "epo_smooth" : "epo");
    pairs += pair && runs::text_of(job.spec, "smoothing") == "2" ? 1 : 0;
  }
  EXPECT_GT(pairs, 0);
  definition.set = {{"smoothing", "2"}};
  EXPECT_THROW((void)jobs_of(definition), std::invalid_argument);
}

TEST(Jobs, AreRefusedWithASentence) {
  const auto changed = [](auto change) {
    Definition definition = small();
    change(definition);
    return refusal(definition);
  };
  EXPECT_THAT(changed([](Definition& d) { d.datasets = {"cmnst"}; }), HasSubstr("did you mean 'cmnist'"));
  EXPECT_THAT(changed([](Definition& d) { d.algorithms = {"irmv"}; }), HasSubstr("did you mean 'irmv1'"));
  EXPECT_THAT(changed([](Definition& d) { d.algorithms.clear(); }), HasSubstr("needs algorithms"));
  EXPECT_THAT(changed([](Definition& d) { d.algorithms.emplace_back("erm"); }), HasSubstr("'erm' twice"));
  EXPECT_THAT(changed([](Definition& d) { d.n_hparams = 0; }),
              HasSubstr("n_hparams: expected an integer from 1 to 100000, got 0"));
  EXPECT_THAT(changed([](Definition& d) { d.n_trials = -1; }),
              HasSubstr("n_trials: expected an integer from 1 to 100000, got -1"));
  EXPECT_THAT(changed([](Definition& d) { d.n_trials = d.n_hparams = 100'000; }), HasSubstr("more than"));
  EXPECT_THAT(changed([](Definition& d) { d.test_envs = {{0}}; }), HasSubstr("has fixed test environments"));
  EXPECT_THAT(changed([](Definition& d) {
                d.datasets = {"ColoredMNIST"};
                d.test_envs = {{0, 3}};
              }),
              HasSubstr("test_envs: expected numbers from 0 to 2 (ColoredMNIST), each once, got 3"));
  EXPECT_THAT(changed([](Definition& d) { d.set = {{"seed", "1"}}; }), HasSubstr("cannot be set in a sweep"));
  EXPECT_THAT(changed([](Definition& d) { d.set = {{"stps", "1"}}; }), HasSubstr("did you mean 'steps'"));
  EXPECT_THAT(changed([](Definition& d) {
                d.set = {{"steps", "0"}};
              }),
              HasSubstr("steps: expected an integer from 1 to 1000000000, got '0'"));
  EXPECT_THAT(changed([](Definition& d) {
                d.set = {{"points", "5"}};
              }),
              HasSubstr("does not apply to any run"));
}

TEST(Jobs, KeepAPenaltyThatIsSet) {
  Definition definition;
  definition.datasets = {"ColoredMNIST"};
  definition.algorithms = {"ib-irm"};
  definition.n_hparams = 2;
  definition.n_trials = 1;
  EXPECT_FALSE(jobs_of(definition).at(1).spec.settings.penalties.empty());
  definition.set = {{"penalty", "7"}};
  const Job drawn = jobs_of(definition).at(1);
  EXPECT_EQ(drawn.spec.settings.penalty, 7.0);
  EXPECT_TRUE(drawn.spec.settings.penalties.empty()) << "they would count in its place";
}

TEST(Jobs, DrawTheOptionsOfObjectivesThatWereAdded) {
  Definition definition;
  definition.datasets = {"ColoredMNIST"};
  definition.algorithms = {"pair"};
  definition.n_hparams = 3;
  definition.n_trials = 1;
  definition.test_envs = {{2}};
  definition.set = {{"objectives", "erm,fishr"}};
  const std::vector<Job> jobs = jobs_of(definition);
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(runs::text_of(jobs[0].spec, "fishr_ema"), "0.95");
  EXPECT_NE(runs::text_of(jobs[1].spec, "fishr_ema"), "0.95");
  EXPECT_NE(runs::text_of(jobs[1].spec, "fishr_ema"), runs::text_of(jobs[2].spec, "fishr_ema"));
  definition.set.emplace_back("fishr_ema", "0.5");
  EXPECT_EQ(runs::text_of(jobs_of(definition).at(1).spec, "fishr_ema"), "0.5");
  definition.algorithms = {"erm"};
  EXPECT_THAT(refusal(definition),
              HasSubstr("objectives: expected 'erm' for algorithm erm, got 'erm,fishr'"));
}

TEST(Jobs, TakeDomainBedsNamesOfAlgorithms) {
  Definition ours;
  ours.datasets = {"cmnist"};
  ours.algorithms = {"irmv1", "ib-erm", "pair"};
  ours.n_hparams = 2;
  ours.n_trials = 1;
  Definition theirs = ours;
  theirs.algorithms = {"IRM", "IB_ERM", "PAIR"};
  const std::vector<Job> jobs = jobs_of(theirs);
  const std::vector<Job> same = jobs_of(ours);
  ASSERT_EQ(jobs.size(), same.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(jobs[i].folder, same[i].folder);
  }
  theirs.algorithms = {"IRM", "irmv1"};
  EXPECT_THROW((void)jobs_of(theirs), std::invalid_argument) << "one algorithm twice";
  theirs.algorithms = {"SelfReg"};
  EXPECT_THROW((void)jobs_of(theirs), std::invalid_argument) << "which is not ours";
}

// Neither the defaults nor what sweeps draw for them.
TEST(Jobs, HaveNoSettingsWithoutEffect) {
  for (const Search search : {Search::paper, Search::domainbed}) {
    Definition definition;
    definition.datasets = {"cmnist", "cmnist-m", "ColoredMNIST"};
    for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
      definition.algorithms.push_back(algorithm.name);
    }
    definition.n_hparams = 12;
    definition.n_trials = 1;
    definition.single_test_envs = true;
    definition.search = search;
    for (const Job& job : jobs_of(definition)) {
      EXPECT_THAT(runs::idle_settings_of(job.spec), ::testing::IsEmpty()) << job.place();
    }
  }
}

}  // namespace
}  // namespace pair::sweep::jobs_test
