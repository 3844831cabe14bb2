// --keep-checkpoints: which models a run keeps, and that nothing else depends on it.

#include "pair/runs/kept_models.h"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>

#include "pair/runs/copy_model.h"
#include "pair/runs/records.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/score.h"
#include "pair/select/criteria.h"
#include "pair/select/read_histories.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing::kept_models_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// small_spec has records after steps 4, 8, 12, 16 and 20, and checkpoints after 5, 10, 15 and 20.
RunSpec keeping(KeepCheckpoints kept, RunSpec spec = small_spec()) {
  spec.keep_checkpoints = kept;
  return spec;
}

fs::path trained_in(const Scratch& scratch, const RunSpec& spec, const char* name = "run") {
  DatasetCache datasets;
  EXPECT_EQ(run(spec, scratch / name, datasets).status, RunResult::Status::finished);
  return scratch / name;
}

// Stopped after `steps` steps of this attempt.
void train_for(int steps, const RunSpec& spec, const fs::path& folder) {
  DatasetCache datasets;
  RunHooks hooks;
  hooks.should_stop = [&steps] { return steps-- <= 0; };
  (void)run(spec, folder, datasets, hooks);
}

// All files of a folder but `done`, which has times.
std::map<fs::path, std::string> files_in(const fs::path& folder) {
  std::map<fs::path, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path() != done_file(folder) &&
        entry.path() != checkpoint_file(folder)) {
      files[fs::relative(entry.path(), folder)] = read_file(entry.path());
    }
  }
  return files;
}

TEST(KeepCheckpoints, AllKeepsTheModelOfEveryRecord) {
  const Scratch scratch;
  const fs::path folder = trained_in(scratch, keeping(KeepCheckpoints::all));
  EXPECT_THAT(kept_steps(folder), ElementsAre(4, 8, 12, 16)) << "the last is the run's own";
  for (const json& record : read_records(results_file(folder))) {
    const auto step = record.at("step").get<std::int64_t>();
    const ScoreTable table = score({.run = folder_of_step(folder, step)});
    ASSERT_FALSE(table.environments.empty());
    for (const EnvironmentScore& environment : table.environments) {
      EXPECT_EQ(environment.values[0], record.at(environment.key + "_acc").get<double>())
          << environment.key << " after step " << step;
    }
  }
  EXPECT_EQ(folder_of_step(folder, 20), folder);
  const json card = json::parse(read_file(card_file(folder_of_step(folder, 8))));
  EXPECT_EQ(card.at("run").at("steps"), 8);
}

TEST(KeepCheckpoints, BestIsTheRecordThatTrainingDomainValidationSelects) {
  std::set<std::vector<std::int64_t>> seen;
  for (const char* const held_out : {"0", "0.25"}) {
    for (const char* const rate : {"0.002", "0.05"}) {
      const std::array<base::Assignment, 2> overrides{base::Assignment{"holdout", held_out},
                                                      base::Assignment{"lr", rate}};
      const Scratch scratch;
      const fs::path folder =
          trained_in(scratch, keeping(KeepCheckpoints::best, small_spec("erm", 1, overrides)));
      const std::array<fs::path, 1> folders{scratch.path()};
      const select::Histories histories = select::read_histories(folders);
      const select::Selection selection = select::train_domain_or_training(histories.history);
      ASSERT_EQ(selection.decisions.size(), 1U);
      const select::Candidate& chosen = selection.decisions[0].chosen();
      const std::int64_t step = chosen.run->steps[chosen.record];
      EXPECT_EQ(best_step(read_records(results_file(folder))), step);
      EXPECT_NO_THROW((void)folder_of_step(folder, step));
      const std::vector<std::int64_t> kept = kept_steps(folder);
      EXPECT_EQ(kept, step == 20 ? std::vector<std::int64_t>{} : std::vector{step});
      seen.insert(kept);
    }
  }
  EXPECT_GT(seen.size(), 1U) << "not always the same step";
}

TEST(KeepCheckpoints, LastKeepsNoOtherModel) {
  const Scratch scratch;
  const fs::path folder = trained_in(scratch, small_spec());
  EXPECT_FALSE(fs::exists(models_folder(folder)));
  EXPECT_EQ(small_spec().keep_checkpoints, KeepCheckpoints::last) << "the default";
}

TEST(KeepCheckpoints, ChangesNeitherNameNorRecordsNorTheLastModel) {
  const Scratch scratch;
  std::map<fs::path, std::string> plain = files_in(trained_in(scratch, small_spec(), "plain"));
  for (const KeepCheckpoints kept : {KeepCheckpoints::best, KeepCheckpoints::all}) {
    const RunSpec spec = keeping(kept);
    EXPECT_EQ(hash(spec), hash(small_spec()));
    EXPECT_EQ(folder_name(spec), folder_name(small_spec()));
    const Scratch other;
    std::map<fs::path, std::string> files = files_in(trained_in(other, spec));
    for (const char* const file : {"results.jsonl", "model.safetensors", "model.json"}) {
      EXPECT_EQ(files[file], plain[file]) << file;
    }
  }
}

TEST(KeepCheckpoints, StoppedAtAnyStepKeepsTheSameModels) {
  for (const KeepCheckpoints kept : {KeepCheckpoints::best, KeepCheckpoints::all}) {
    const RunSpec spec = keeping(kept);
    const Scratch scratch;
    const std::map<fs::path, std::string> whole = files_in(trained_in(scratch, spec, "whole"));
    for (int steps = 1; steps < 20; steps += 3) {
      const std::string name = "stopped" + std::to_string(steps);
      train_for(steps, spec, scratch / name);
      EXPECT_EQ(files_in(trained_in(scratch, spec, name.c_str())), whole) << "stopped after " << steps;
    }
  }
}

// A kill after step 19, say: the checkpoint is that of step 15, but models of later records are there
// already.
TEST(KeepCheckpoints, KilledAfterACheckpointKeepsTheSameModels) {
  for (const KeepCheckpoints kept : {KeepCheckpoints::best, KeepCheckpoints::all}) {
    const RunSpec spec = keeping(kept);
    const Scratch scratch;
    const std::map<fs::path, std::string> whole = files_in(trained_in(scratch, spec, "whole"));
    const fs::path folder = scratch / "killed";
    train_for(9, spec, folder);
    const std::string checkpoint = read_file(checkpoint_file(folder));
    train_for(8, spec, folder);
    write(checkpoint_file(folder), checkpoint);
    // And half a model, that of another attempt, and one of a step that has no record.
    fs::create_directories(kept_folder(folder, 12));
    fs::create_directories(kept_folder(folder, 11));
    write(weights_file(kept_folder(folder, 12)), "half");
    write(weights_file(kept_folder(folder, 11)), "half");
    EXPECT_THAT(kept_steps(folder), ::testing::Not(Contains(11)));
    EXPECT_EQ(files_in(trained_in(scratch, spec, "killed")), whole);
  }
}

TEST(KeepCheckpoints, ARunThatStartsAgainLeavesNoModelOfTheFirstAttempt) {
  const RunSpec spec = keeping(KeepCheckpoints::all);
  const Scratch scratch;
  const std::map<fs::path, std::string> whole = files_in(trained_in(scratch, spec, "whole"));
  train_for(10, spec, scratch / "run");
  fs::create_directories(kept_folder(scratch / "run", 7));
  write(card_file(kept_folder(scratch / "run", 7)), "{}");
  write(checkpoint_file(scratch / "run"), "damaged");
  EXPECT_EQ(files_in(trained_in(scratch, spec)), whole);
}

TEST(KeepCheckpoints, EveryCheckpointHasTheModelsOfTheRecordsBeforeIt) {
  const RunSpec spec = keeping(KeepCheckpoints::best);
  const Scratch scratch;
  for (int steps = 1; steps < 20; ++steps) {
    const fs::path folder = scratch / std::to_string(steps);
    train_for(steps, spec, folder);  // ends with a checkpoint
    const std::optional<std::int64_t> best = best_step(read_records(results_file(folder)));
    EXPECT_EQ(kept_steps(folder), best ? std::vector{*best} : std::vector<std::int64_t>{}) << steps;
  }
}

TEST(KeepCheckpoints, AFinishedRunWithoutTheModelsSaysThatItIsNotRepeated) {
  const Scratch scratch;
  const fs::path folder = trained_in(scratch, small_spec());
  for (const KeepCheckpoints kept : {KeepCheckpoints::all, KeepCheckpoints::last}) {
    std::vector<std::string> notices;
    RunHooks hooks;
    hooks.notice = [&notices](std::string_view sentence) { notices.emplace_back(sentence); };
    DatasetCache datasets;
    EXPECT_TRUE(run(keeping(kept), folder, datasets, hooks).was_done);
    if (kept == KeepCheckpoints::last) {
      EXPECT_THAT(notices, IsEmpty());
    } else {
      EXPECT_THAT(notices, ElementsAre(HasSubstr("has finished without keeping the models of its records")));
    }
  }
}

TEST(KeepCheckpoints, AContinuedRunSaysThatItLacksTheModelsOfAnEarlierAttempt) {
  const Scratch scratch;
  train_for(10, small_spec(), scratch / "run");  // without models of records
  std::vector<std::string> notices;
  RunHooks hooks;
  hooks.notice = [&notices](std::string_view sentence) { notices.emplace_back(sentence); };
  DatasetCache datasets;
  EXPECT_EQ(run(keeping(KeepCheckpoints::all), scratch / "run", datasets, hooks).status,
            RunResult::Status::finished);
  EXPECT_THAT(kept_steps(scratch / "run"), ::testing::AllOf(Contains(16), ::testing::Not(Contains(4))));
  EXPECT_THAT(notices, Contains(HasSubstr("without keeping the models of its records")));
}

TEST(KeptModels, NameTheNearestStepIfOneWasNotKept) {
  const Scratch scratch;
  const fs::path folder = trained_in(scratch, keeping(KeepCheckpoints::all));
  const auto refuses = [&folder](std::int64_t step, const std::string& sentence) {
    EXPECT_THAT([&] { (void)folder_of_step(folder, step); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses(9,
          "run: the model of step 9 was not kept; the nearest is that of step 8. 'pair train "
          "--keep-checkpoints all' keeps the model of every record");
  refuses(19, "the nearest is that of step 20");
  refuses(-5, "the nearest is that of step 4");
  fs::remove(done_file(folder));
  refuses(20, "the nearest is that of step 16");
  remove_models_except(folder, std::nullopt);
  EXPECT_FALSE(fs::exists(models_folder(folder)));
  refuses(8, "no model of this run was");
  EXPECT_THAT(
      [&] { (void)folder_of_step(scratch / "none", 1); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("expected the folder of a run, got a path that")));
}

TEST(KeptModels, AreValidatedByTheTrainingEnvironmentsAlone) {
  const json args{{"test_envs", {1, 2}}};
  EXPECT_EQ(
      validation_of({{"args", args}, {"env0_in_acc", 0.5}, {"env1_in_acc", 0.9}, {"env2_out_acc", 0.1}}),
      0.5);
  EXPECT_EQ(
      validation_of({{"args", args}, {"env0_in_acc", 0.5}, {"env0_out_acc", 0.25}, {"env3_out_acc", 0.75}}),
      0.5);
  EXPECT_EQ(validation_of({{"args", args}, {"env0_in_mse", 0.5}, {"env1_in_mse", 9.0}}), -0.5);
  EXPECT_EQ(validation_of({{"args", args}, {"env0_in_acc", nullptr}}), std::nullopt);
  EXPECT_EQ(validation_of({{"args", args}, {"env1_in_acc", 1.0}}), std::nullopt);
  EXPECT_EQ(validation_of(json::object()), std::nullopt);
  const std::vector<json> records{{{"step", 1}, {"env0_in_acc", 0.5}},
                                  {{"step", 2}, {"env0_in_acc", 0.7}},
                                  {{"step", 3}, {"env0_in_acc", 0.7}},
                                  {{"step", 4}, {"env0_in_acc", nullptr}}};
  EXPECT_EQ(best_step(records), 2) << "the first of equals";
  EXPECT_EQ(best_step(std::span(records).last(1)), std::nullopt);
}

TEST(KeptModels, BestLeavesOutThePretrainingOfPairOnceItBalances) {
  const auto record = [](int step, double accuracy, const char* phase) {
    return json{{"step", step}, {"env0_in_acc", accuracy}, {"phase", phase}};
  };
  const std::vector<json> records{record(1, 0.9, "descent"), record(2, 0.95, "descent"),
                                  record(3, 0.5, "balance"), record(4, 0.7, "balance"),
                                  record(5, 0.6, "balance")};
  EXPECT_EQ(best_step(records), 4);
  EXPECT_EQ(best_step(std::span(records).first(2)), 2) << "a run that only pretrains";
  BestRecord best;
  EXPECT_TRUE(best.add(records[0]));
  EXPECT_TRUE(best.add(records[1]));
  EXPECT_TRUE(best.add(records[2])) << "the first that counts, though lower";
  EXPECT_EQ(best.step(), 3);
  EXPECT_TRUE(best.add(records[3]));
  EXPECT_FALSE(best.add(records[4]));
}

// Its pretraining ends after step 8.
TEST(KeepCheckpoints, BestOfPairIsAfterItsPretraining) {
  const Scratch scratch;
  const fs::path folder = trained_in(scratch, keeping(KeepCheckpoints::best, small_spec("pair")));
  const std::optional<std::int64_t> best = best_step(read_records(results_file(folder)));
  ASSERT_TRUE(best);
  EXPECT_GT(*best, 8);
  EXPECT_NO_THROW((void)folder_of_step(folder, *best));
  EXPECT_EQ(kept_steps(folder), *best == 20 ? std::vector<std::int64_t>{} : std::vector{*best});
}

TEST(CopyModel, CopiesBothFilesOrTheWeightsAlone) {
  const Scratch scratch;
  const fs::path folder = trained_in(scratch, small_spec());
  copy_model(folder, scratch / "a/b");
  EXPECT_EQ(files_in(scratch / "a/b").size(), 2U);
  EXPECT_EQ(read_file(weights_file(scratch / "a/b")), read_file(weights_file(folder)));
  EXPECT_EQ(read_file(card_file(scratch / "a/b")), read_file(card_file(folder)));
  copy_model(folder, scratch / "one.safetensors");
  EXPECT_EQ(read_file(scratch / "one.safetensors"), read_file(weights_file(folder)));
  write(weights_file(folder), "other");
  EXPECT_THAT([&] { copy_model(folder, scratch / "c"); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("model.safetensors has changed since the run wrote it")));
  EXPECT_FALSE(fs::exists(scratch / "c"));
  fs::remove(card_file(folder));
  EXPECT_THROW(copy_model(folder, scratch / "c"), std::invalid_argument);
}

}  // namespace
}  // namespace pair::runs::testing::kept_models_test
