#include "pair/runs/run.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing::run_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using Status = RunResult::Status;

std::string records_in(const fs::path& directory) {
  return read_file(results_file(directory));
}

// The records of an uninterrupted run.
std::string records_of(const RunSpec& spec) {
  const Scratch scratch;
  DatasetCache datasets;
  EXPECT_EQ(run(spec, scratch / "run", datasets).status, Status::finished);
  return records_in(scratch / "run");
}

// Specs between whose steps something must be kept: momentum and Adam's averages, an objective's state, the
// place in every stream of draws, the estimated preference, the last weights, what is frozen.
std::vector<RunSpec> specs_with_memory() {
  std::vector<RunSpec> specs;
  for (const base::Assignments& overrides : std::vector<base::Assignments>{
           {},
           {{"batch", "32"}},
           {{"objectives", "erm,irmv1,vrex,fishr"}},
           {{"objectives", "erm,clove,group_dro"},
            {"clove_batch", "16"},
            {"batch", "64"},
            {"preference", "auto"}},
           {{"freeze_featurizer", "true"}, {"decay", "none"}, {"backtrack", "false"}},
           {{"solver", "epo_smooth"}, {"gradients", "f"}},
           {{"objectives", "erm,iga"}, {"gradients", "phi"}},
           {{"irmv1_unbiased", "true"}, {"preference", "auto"}}}) {
    specs.push_back(small_spec("pair", 0, overrides));
  }
  for (const char* algorithm : {"irmv1", "ib-irm", "groupdro", "fishr"}) {
    specs.push_back(small_spec(algorithm));
  }
  return specs;
}

TEST(Run, RecordsEveryEvaluation) {
  const Scratch scratch;
  DatasetCache datasets;
  const RunSpec spec = small_spec();
  const RunResult result = run(spec, scratch / "run", datasets);
  EXPECT_EQ(result.status, Status::finished);
  EXPECT_FALSE(result.was_done);
  EXPECT_EQ(result.step, 20);
  ASSERT_THAT(result.records, SizeIs(5));
  std::vector<int> steps;
  for (const nlohmann::json& record : result.records) {
    steps.push_back(record.at("step").get<int>());
  }
  EXPECT_THAT(steps, ElementsAre(4, 8, 12, 16, 20));
  EXPECT_EQ(read_records(results_file(scratch / "run")), result.records);
  EXPECT_TRUE(fs::exists(done_file(scratch / "run")));
  EXPECT_TRUE(fs::exists(checkpoint_file(scratch / "run")));
}

TEST(Run, RecordsTheLastStepWhereverItFalls) {
  RunSpec spec = small_spec();
  spec.settings.steps = 10;
  const Scratch scratch;
  DatasetCache datasets;
  const RunResult result = run(spec, scratch / "run", datasets);
  ASSERT_THAT(result.records, SizeIs(3));
  EXPECT_EQ(result.records.back().at("step"), 10);
}

TEST(Run, RecordsSayWhatDomainBedsDo) {
  const Scratch scratch;
  DatasetCache datasets;
  const RunSpec spec = small_spec("pair", 3);
  const std::vector<nlohmann::json> records = run(spec, scratch / "run", datasets).records;
  const nlohmann::json& last = records.back();
  EXPECT_EQ(
      last.at("args"),
      (nlohmann::json{{"algorithm", "pair"},
                      {"dataset", "cmnist"},
                      {"seed", 3},
                      {"trial_seed", 3},
                      {"hparams_seed", 0},
                      {"test_envs", {2, 3, 4}},
                      {"env_names", {"beta 0.1", "beta 0.2", "beta 0.9", "beta 0.1", "beta 0.5"}},
                      {"losses", nlohmann::json::array({nlohmann::json::array({"erm", "irmv1", "vrex"})})},
                      {"noisy_losses", false}}));
  EXPECT_EQ(last.at("hparams").at("steps"), 20);
  EXPECT_EQ(last.at("hparams").at("alpha"), 0.25);
  double worst = 1.0;
  for (const char* key : {"env0_in_acc", "env1_in_acc", "env2_out_acc", "env3_out_acc", "env4_out_acc"}) {
    EXPECT_GE(last.at(key), 0.0);
    EXPECT_LE(last.at(key), 1.0);
    worst = std::string_view(key).ends_with("out_acc") ? std::min(worst, last.at(key).get<double>()) : worst;
  }
  EXPECT_EQ(last.at("worst_test_acc"), worst);
  const nlohmann::json& losses = last.at("losses");
  EXPECT_THAT(losses, SizeIs(3));
  EXPECT_EQ(last.at("nll"), losses.at("erm"));
  EXPECT_EQ(last.at("penalty").get<double>(),
            losses.at("irmv1").get<double>() + losses.at("vrex").get<double>());
  EXPECT_THAT(last.at("weights"), SizeIs(3));
  EXPECT_EQ(records.front().at("phase"), "descent");
  EXPECT_EQ(last.at("phase"), "balance");
  EXPECT_GT(last.at("divergence"), 0.0);
  for (const char* key : {"loss", "lr", "restarts", "backtracks", "rollbacks", "feasible"}) {
    EXPECT_TRUE(last.contains(key)) << key;
  }
  EXPECT_FALSE(last.contains("seconds"));
}

TEST(Run, RecordsHeldOutLossesWhereSamplesAreHeldOut) {
  const Scratch scratch;
  DatasetCache datasets;
  const base::Assignments held_out{{"holdout", "0.2"}, {"batch", "16"}, {"track", "5"}};
  const nlohmann::json last =
      run(small_spec("pair", 0, held_out), scratch / "held_out", datasets).records.back();
  EXPECT_THAT(last.at("held_out_losses"), SizeIs(3));
  EXPECT_GT(last.at("held_out_losses").at("vrex"), 0.0);
  for (const char* key : {"held_out_noise_floor", "noise_floor"}) {
    EXPECT_THAT(last.at(key), SizeIs(2)) << key;
    EXPECT_FALSE(last.at(key).contains("erm")) << key;
    EXPECT_GT(last.at(key).at("vrex"), 0.0) << key;
  }
  const nlohmann::json plain = run(small_spec("pair"), scratch / "plain", datasets).records.back();
  for (const char* key : {"held_out_losses", "held_out_noise_floor", "noise_floor"}) {
    EXPECT_FALSE(plain.contains(key)) << key;
  }
}

TEST(Run, GivesTheSameRecordsAgain) {
  EXPECT_EQ(records_of(small_spec()), records_of(small_spec()));
  EXPECT_NE(records_of(small_spec("pair", 1)), records_of(small_spec()));
}

TEST(Run, GivesTheSameRecordsBesideOthers) {
  std::vector<RunSpec> specs = specs_with_memory();
  specs.push_back(small_spec("pair", 1));
  specs.push_back(small_spec("erm", 1));
  std::vector<std::string> alone;
  for (const RunSpec& spec : specs) {
    alone.push_back(records_of(spec));
  }
  const Scratch scratch;
  DatasetCache datasets;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    threads.emplace_back([&, i] { run(specs[i], scratch / std::to_string(i), datasets); });
  }
  threads.clear();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(records_in(scratch / std::to_string(i)), alone[i]) << canonical(specs[i]);
  }
}

TEST(Run, GivesTheSameRecordsOnTwoThreads) {
  RunSpec spec = small_spec();
  spec.threads = 2;
  testing::colored_mnist(spec).train_digits = 2000;
  EXPECT_EQ(records_of(spec), records_of(spec));
}

TEST(Run, GivesTheSameRecordsWithoutCheckpointsInBetween) {
  RunSpec spec = small_spec();
  const std::string often = records_of(spec);
  spec.checkpoint_every = 1000;
  EXPECT_EQ(records_of(spec), often);
}

// Stops the run where it asks, before each step and while records are scored, in turn.
void expect_same_when_stopped(const RunSpec& spec, std::int64_t stride) {
  const std::string whole = records_of(spec);
  DatasetCache datasets;
  bool finished = false;
  for (std::int64_t stop = 0; !finished; stop += stride) {
    const Scratch scratch;
    std::int64_t asked = 0;
    RunHooks hooks;
    hooks.should_stop = [&] { return asked++ == stop; };
    std::vector<std::string> notices;
    hooks.notice = [&](std::string_view notice) { notices.emplace_back(notice); };
    const RunResult first = run(spec, scratch / "run", datasets, hooks);
    finished = first.status == Status::finished;
    EXPECT_TRUE(finished ? stop >= spec.settings.steps : first.step <= stop);
    const RunResult second = run(spec, scratch / "run", datasets, hooks);
    EXPECT_EQ(second.status, Status::finished);
    EXPECT_EQ(records_in(scratch / "run"), whole) << "stopped at " << stop << ": " << canonical(spec);
    EXPECT_THAT(notices, IsEmpty());
  }
}

TEST(Run, TellsWhichGivenSettingsHaveNoEffect) {
  RunSpec spec = small_spec();
  set(spec, "schedule_every", "7");
  const Scratch scratch;
  DatasetCache datasets;
  std::vector<std::string> notices;
  RunHooks hooks;
  hooks.notice = [&](std::string_view notice) { notices.emplace_back(notice); };
  (void)run(spec, scratch / "run", datasets, hooks);
  EXPECT_THAT(notices, ElementsAre("schedule_every has no effect without schedule=step"));
  notices.clear();
  (void)run(spec, scratch / "run", datasets, hooks);
  EXPECT_THAT(notices, IsEmpty()) << "the run was done";
}

TEST(Run, GivesTheSameRecordsWhenStoppedAtAnyStep) {
  expect_same_when_stopped(small_spec(), 1);
}

TEST(Run, GivesTheSameRecordsWhenStoppedForAnyState) {
  for (const RunSpec& spec : specs_with_memory()) {
    expect_same_when_stopped(spec, 6);
  }
}

TEST(Run, StoppedAtEveryStepGetsToTheEnd) {
  const RunSpec spec = small_spec();
  const Scratch scratch;
  DatasetCache datasets;
  int tries = 0;
  for (RunResult result; tries == 0 || result.status == Status::stopped; ++tries) {
    ASSERT_LE(tries, 20);
    int asked = 0;
    RunHooks hooks;
    hooks.should_stop = [&] { return asked++ == 3; };  // a record takes two
    result = run(spec, scratch / "run", datasets, hooks);
  }
  EXPECT_EQ(records_in(scratch / "run"), records_of(spec));
}

TEST(Run, IsNotRepeatedOnceItIsDone) {
  const RunSpec spec = small_spec();
  const Scratch scratch;
  DatasetCache datasets;
  const RunResult first = run(spec, scratch / "run", datasets);
  bool stepped = false;
  RunHooks hooks;
  hooks.progress = [&](const Progress&) { stepped = true; };
  const RunResult second = run(spec, scratch / "run", datasets, hooks);
  EXPECT_TRUE(second.was_done);
  EXPECT_FALSE(stepped);
  EXPECT_EQ(second.records, first.records);
  EXPECT_EQ(second.step, 20);
  EXPECT_EQ(second.seconds, first.seconds);
}

TEST(Run, TellsItsProgress) {
  const RunSpec spec = small_spec();
  const Scratch scratch;
  DatasetCache datasets;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> recorded;
  std::vector<std::int64_t> left;
  RunHooks hooks;
  hooks.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.steps, 20);
    EXPECT_EQ(progress.first, 0);
    left.push_back(progress.records_left);
    steps.push_back(progress.step);
    if (progress.record != nullptr) {
      recorded.push_back(progress.record->at("step").get<std::int64_t>());
    }
  };
  run(spec, scratch / "run", datasets, hooks);
  EXPECT_THAT(steps, SizeIs(21));
  EXPECT_THAT(recorded, ElementsAre(4, 8, 12, 16, 20));
  for (std::int64_t step = 0; step <= 20; ++step) {
    EXPECT_EQ(left.at(static_cast<std::size_t>(step)), 5 - step / 4) << step;
  }
}

TEST(Run, CountsTheRecordsToCome) {
  RunSpec spec = small_spec();
  spec.eval_first = 1;
  spec.eval_every = 6;
  const Scratch scratch;
  DatasetCache datasets;
  std::vector<std::int64_t> left;
  RunHooks hooks;
  hooks.progress = [&](const Progress& progress) { left.push_back(progress.records_left); };
  run(spec, scratch / "run", datasets, hooks);
  // At 1, 7, 13, 19 and 20.
  EXPECT_THAT(left, ElementsAre(5, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 1, 0));
}

TEST(Run, StartsAgainIfTheTrainerCannotReadTheCheckpoint) {
  const RunSpec spec = small_spec();
  const Scratch scratch;
  {
    RunDirectory directory(scratch / "run", spec);
    directory.save({7, 1.0, "no trainer wrote this"});
  }
  DatasetCache datasets;
  std::vector<std::string> notices;
  RunHooks hooks;
  hooks.notice = [&](std::string_view notice) { notices.emplace_back(notice); };
  run(spec, scratch / "run", datasets, hooks);
  EXPECT_THAT(notices, ElementsAre(HasSubstr("starts from the beginning")));
  EXPECT_EQ(records_in(scratch / "run"), records_of(spec));
}

TEST(Run, RefusesABadSpecBeforeItTouchesTheDisk) {
  const Scratch scratch;
  DatasetCache datasets;
  const auto running = [&](auto change) {
    return [&, change] {
      RunSpec spec = small_spec();
      change(spec);
      run(spec, scratch / "run", datasets);
    };
  };
  EXPECT_THAT(running([](RunSpec& spec) { spec.settings.steps = 0; }),
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("steps: expected an integer from 1 to 1000000000, got '0'")));
  EXPECT_THAT(running([](RunSpec& spec) {
                spec.settings.objectives = {"erm", "irmv2"};
                spec.settings.preference.clear();
              }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'irmv1'?")));
  EXPECT_THAT(running([](RunSpec& spec) { spec.settings.model = "mpl"; }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'mlp'?")));
  EXPECT_THAT(running([](RunSpec& spec) { spec.settings.solver = "epoo"; }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'epo'?")));
  EXPECT_THAT(
      running([](RunSpec& spec) { testing::colored_mnist(spec).alpha = 2; }),
      ThrowsMessage<std::invalid_argument>(HasSubstr("alpha: expected a number from 0 to 1, got '2'")));
  EXPECT_THAT(running([](RunSpec& spec) {
                spec.settings.preference = {1, 2};
              }),
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("preference: expected auto, or one number per objective (3), got 2")));
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

// An ERM run of the dataset's gray twin in its own folder below root.
RunSpec gray_run(const fs::path& root, DatasetCache& datasets) {
  RunSpec gray = small_spec("erm");
  colored_mnist(gray).train_betas = {0.5, 0.5};
  run(gray, root / folder_name(gray), datasets);
  return gray;
}

TEST(Run, StartsFromWhereAnotherEnded) {
  const Scratch scratch;
  DatasetCache datasets;
  const RunSpec gray = gray_run(scratch.path(), datasets);
  RunSpec spec = small_spec("irmv1");
  spec.settings.lr = 1e-12;  // it stays where it starts
  spec.settings.optimizer = train::Optimizer::sgd;
  spec.start = folder_name(gray);
  const RunResult result = run(spec, scratch / folder_name(spec), datasets);
  const auto gray_records = read_records(results_file(scratch / folder_name(gray)));
  for (const char* key : {"env2_out_acc", "env3_out_acc", "env4_out_acc"}) {
    EXPECT_EQ(result.records.back().at(key), gray_records.back().at(key)) << key;
  }
  // Others may read it at the same time, and a trailing slash does not change the folder.
  const RunDirectory held(scratch / folder_name(gray), gray);
  spec.seed = 1;
  EXPECT_EQ(run(spec, scratch / (folder_name(spec) + "/"), datasets).status, Status::finished);
}

TEST(Run, ThatStartsFromAnotherContinuesAfterAStopAsIfThereHadBeenNone) {
  const Scratch scratch;
  DatasetCache datasets;
  RunSpec spec = small_spec("vrex");
  spec.start = folder_name(gray_run(scratch.path(), datasets));
  run(spec, scratch / "whole", datasets);
  int steps = 0;
  RunHooks hooks;
  hooks.should_stop = [&steps] { return ++steps % 7 == 0; };
  while (run(spec, scratch / "parts", datasets, hooks).status == Status::stopped) {
  }
  EXPECT_EQ(records_in(scratch / "parts"), records_in(scratch / "whole"));
}

TEST(Run, SaysWhatItCannotStartFrom) {
  const Scratch scratch;
  DatasetCache datasets;
  RunSpec spec = small_spec("irmv1");
  const auto running = [&] { run(spec, scratch / "run", datasets); };
  spec.start = "nothing-there";
  EXPECT_THAT(running, ThrowsMessage<std::invalid_argument>(AllOf(
                           HasSubstr("got 'nothing-there'"), HasSubstr("does not contain a finished run"))));
  const RunSpec gray = gray_run(scratch.path(), datasets);
  fs::copy(scratch / folder_name(gray), scratch / "renamed");
  spec.start = "renamed";
  EXPECT_THAT(running, ThrowsMessage<std::invalid_argument>(
                           HasSubstr("holds a run whose folder should be named " + folder_name(gray))));
  testing::write(checkpoint_file(scratch / folder_name(gray)), "no checkpoint");
  spec.start = folder_name(gray);
  EXPECT_THAT(running, ThrowsMessage<std::runtime_error>(HasSubstr("is damaged")));
  set(spec, "width", "8");
  fs::remove_all(scratch / folder_name(gray));
  gray_run(scratch.path(), datasets);
  EXPECT_THAT(running, ThrowsMessage<std::runtime_error>(HasSubstr("a model of another size")));
}

TEST(Run, GivesWayToAProcessThatTrainsThere) {
  const Scratch scratch;
  const RunDirectory held(scratch / "run", small_spec());
  DatasetCache datasets;
  EXPECT_THROW(run(small_spec(), scratch / "run", datasets), Busy);
}

TEST(Run, WritesTheReasonToFailed) {
  const Scratch scratch;
  DatasetCache datasets;
  RunHooks hooks;
  hooks.progress = [](const Progress& progress) {
    if (progress.step == 9) {
      throw std::runtime_error("the terminal is gone");
    }
  };
  EXPECT_THAT([&] { run(small_spec(), scratch / "run", datasets, hooks); },
              ThrowsMessage<std::runtime_error>("the terminal is gone"));
  EXPECT_EQ(read_file(failed_file(scratch / "run")), "the terminal is gone\n");
  EXPECT_THAT(read_records(results_file(scratch / "run")), SizeIs(2));
  run(small_spec(), scratch / "run", datasets);
  EXPECT_FALSE(fs::exists(failed_file(scratch / "run")));
  EXPECT_EQ(records_in(scratch / "run"), records_of(small_spec()));
}

TEST(Run, HasAFolderNamedByItsHash) {
  const RunSpec spec = small_spec("irmx", 4);
  EXPECT_EQ(default_directory(spec), "runs/cmnist-irmx-s4-" + hash(spec));
}

TEST(DatasetCache, SharesEqualSets) {
  DatasetCache datasets;
  const data::Dataset spec = small_spec().dataset;
  std::vector<std::shared_ptr<const data::EnvironmentSet>> sets(4);
  {
    std::vector<std::jthread> threads;
    for (auto& set : sets) {
      threads.emplace_back([&] { set = datasets.get(spec, 0); });
    }
  }
  EXPECT_THAT(sets, Each(sets.front()));
  EXPECT_NE(datasets.get(spec, 1), sets.front());
  data::Dataset other = spec;
  other.options.as<data::ColoredMnistSpec>().alpha = 0.5;
  EXPECT_NE(datasets.get(other, 0), sets.front());
  EXPECT_EQ(datasets.get(spec, 0), sets.front()) << "still in use";
}

TEST(DatasetCache, DropsTheLeastRecentlyUsed) {
  DatasetCache datasets(1);
  const data::Dataset spec = small_spec().dataset;
  const std::weak_ptr<const data::EnvironmentSet> first = datasets.get(spec, 0);
  EXPECT_FALSE(first.expired());
  (void)datasets.get(spec, 1);
  EXPECT_TRUE(first.expired());
}

TEST(DatasetCache, ReportsErrorsToAllCallers) {
  DatasetCache datasets;
  data::Dataset spec = small_spec().dataset;
  spec.options.as<data::ColoredMnistSpec>().train_digits = 0;
  EXPECT_THROW(datasets.get(spec, 0), std::invalid_argument);
  EXPECT_THROW(datasets.get(spec, 0), std::invalid_argument) << "and again";
}

TEST(Run, ThatIsDoneIsReadWhereItsDeviceIsNot) {
  const Scratch scratch;
  DatasetCache datasets;
  RunSpec spec = small_spec("erm", 0);
  const RunResult here = run(spec, scratch / "run", datasets);
  // As if it had been trained elsewhere, on a device that this machine cannot have.
  spec.device = "cuda:77";
  replace_file(spec_file(scratch / "run"), as_json(spec).dump(2) + "\n");
  const RunResult there = run(spec, scratch / "run", datasets);
  EXPECT_TRUE(there.was_done);
  EXPECT_EQ(there.records, here.records);
  EXPECT_THROW(run(spec, scratch / "another", datasets), std::invalid_argument);
}

TEST(DatasetCache, KeepsOnlySetsInUse) {
  DatasetCache datasets(4);
  const RunSpec spec = small_spec("erm", 0);
  auto held = datasets.get(spec.dataset, 0);
  std::weak_ptr<const data::EnvironmentSet> kept = datasets.get(spec.dataset, 1);
  EXPECT_FALSE(kept.expired());
  datasets.forget();
  EXPECT_TRUE(kept.expired());
  EXPECT_EQ(datasets.get(spec.dataset, 0), held);
}

}  // namespace
}  // namespace pair::runs::testing::run_test
