// Models of earlier steps as a user meets them: --keep-checkpoints, --step, 'pair select --export'.

#include <gmock/gmock.h>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "pair/runs/kept_models.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"

namespace pair::runs::testing::kept_models_program_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A run of a second or two in `run`, with 30 records.
std::vector<std::string> run_keeping(const std::string& kept) {
  return {"train",
          "--quiet",
          "--algorithm",
          "pair",
          "--seed",
          "5",
          "--steps",
          "150",
          "--out",
          "run",
          "--keep-checkpoints",
          kept,
          "--set",
          "train_digits=500",
          "test_digits=200",
          "width=16",
          "pretrain=50",
          "eval_every=5",
          "checkpoint_every=7"};
}

// All files but those with times.
std::map<fs::path, std::string> files_in(const fs::path& folder) {
  std::map<fs::path, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path name = entry.path().filename();
    if (entry.is_regular_file() && name != "done" && name != "checkpoint") {
      files[fs::relative(entry.path(), folder)] = read_file(entry.path());
    }
  }
  return files;
}

TEST(KeepCheckpointsProgram, KilledAtRandomMomentsKeepsTheSameModels) {
  std::mt19937 random(std::random_device{}());
  for (const char* const kept : {"all", "best"}) {
    const Scratch whole;
    ASSERT_EQ(pair_in(whole.path(), run_keeping(kept)).status, 0);
    const Scratch scratch;
    const fs::path run = scratch / "run";
    const auto size = [&run] {
      std::error_code missing;
      const auto bytes = fs::file_size(results_file(run), missing);
      return missing ? 0 : bytes;
    };
    int kills = 0;
    // On a fast machine, a run may be done before the second kill; then another one begins.
    for (int runs = 0; kills < 2 && runs < 20; ++runs) {
      fs::remove_all(run);
      while (!fs::exists(done_file(run)) && kills < 6) {
        Program program(run_keeping(kept), scratch.path());
        const auto before = size();
        while (program.running() && size() <= before) {
          std::this_thread::sleep_for(200us);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
        program.signal(SIGKILL);
        const int status = program.wait();
        EXPECT_THAT(status, AnyOf(0, 128 + SIGKILL)) << program.err();
        kills += status == 0 ? 0 : 1;
        // Every model that is there is whole.
        for (const std::int64_t step : kept_steps(run)) {
          const fs::path folder = kept_folder(run, step);
          EXPECT_TRUE(fs::exists(weights_file(folder)));
          EXPECT_TRUE(json::accept(read_file(card_file(folder)))) << step;
        }
      }
      EXPECT_EQ(pair_in(scratch.path(), run_keeping(kept)).status, 0);
      EXPECT_EQ(files_in(run), files_in(whole / "run")) << kept;
    }
    EXPECT_GE(kills, 2);
  }
}

// A sweep of PAIR-o and IRMv1 with two draws each.
std::vector<std::string> sweep_keeping(const std::string& kept) {
  return {"sweep",
          "launch",
          "--out",
          "sweep",
          "--datasets",
          "cmnist",
          "--algorithms",
          "irmv1,pair",
          "--n-hparams",
          "2",
          "--n-trials",
          "1",
          "--steps",
          "30",
          "--keep-checkpoints",
          kept,
          "--set",
          "train_digits=500",
          "test_digits=200",
          "width=8",
          "pretrain=10",
          "eval_every=3"};
}

struct Chosen {
  std::string run;
  std::int64_t step = 0;
};

// PAIR-s among all ten records of each run; it does not choose the last.
Chosen chosen_by_pair(const Scratch& scratch, const std::string& algorithm) {
  const Answer answer = pair_in(scratch.path(), {"select", "sweep", "--criterion", "pair", "--last", "10",
                                                 "--algorithms", algorithm, "--format", "json"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const json chosen = json::parse(answer.out).at("criteria")[0].at("choices")[0].at("chosen");
  return {chosen.at("run"), chosen.at("step")};
}

TEST(SelectExport, GivesTheModelOfTheSelectedRunAndStep) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), sweep_keeping("all")).status, 0);
  const Chosen chosen = chosen_by_pair(scratch, "pair");
  EXPECT_LT(chosen.step, 30) << "the test needs a step before the last";
  const fs::path source = folder_of_step(scratch / chosen.run, chosen.step);

  const Answer one = pair_in(scratch.path(), {"select", "sweep", "--criterion", "pair", "--last", "10",
                                              "--algorithms", "pair", "--export", "chosen"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("Model of " + chosen.run + ", step " + std::to_string(chosen.step) +
                                 ", in chosen\n"));
  EXPECT_EQ(read_file(scratch / "chosen/model.safetensors"), read_file(weights_file(source)));
  EXPECT_EQ(read_file(scratch / "chosen/model.json"), read_file(card_file(source)));

  // Its scores are those that the record has.
  const Answer score = pair_in(scratch.path(), {"score", "chosen", "--metrics", "accuracy", "--json"});
  ASSERT_EQ(score.status, 0) << score.err;
  json record;
  for (const json& line : read_records(results_file(scratch / chosen.run))) {
    record = line.at("step") == chosen.step ? line : record;
  }
  const json answer = json::parse(score.out);
  for (const json& environment : answer.at("environments")) {
    EXPECT_EQ(environment.at("scores").at("accuracy"),
              record.at(environment.at("key").get<std::string>() + "_acc"));
  }

  // Several choices have a folder each; JSON stays JSON.
  const Answer several = pair_in(scratch.path(), {"select", "sweep", "--criterion", "pair", "--last", "10",
                                                  "--export", "all", "--format", "json"});
  EXPECT_EQ(several.status, 0) << several.err;
  EXPECT_TRUE(json::accept(several.out));
  for (const char* const name : {"cmnist-pair-test2-3-4-trial0", "cmnist-irmv1-test2-3-4-trial0"}) {
    EXPECT_TRUE(fs::exists(scratch / "all" / name / "model.json")) << name;
  }

  // Weights alone.
  const Answer weights = pair_in(scratch.path(), {"select", "sweep", "--criterion", "pair", "--last", "10",
                                                  "--algorithms", "pair", "--export", "weights.safetensors"});
  EXPECT_EQ(weights.status, 0) << weights.err;
  EXPECT_EQ(read_file(scratch / "weights.safetensors"), read_file(weights_file(source)));
  const Answer too_many = pair_in(scratch.path(), {"select", "sweep", "--criterion", "pair", "--last", "10",
                                                   "--export", "weights.safetensors"});
  EXPECT_EQ(too_many.status, 2);
  EXPECT_THAT(too_many.err,
              HasSubstr("--export: expected a folder for the models of 2 choices, got the file"));
  const Answer criteria = pair_in(scratch.path(), {"select", "sweep", "--export", "chosen"});
  EXPECT_EQ(criteria.status, 2);
  EXPECT_THAT(criteria.err, HasSubstr("--export: expected one --criterion"));
  const Answer nowhere = pair_in(scratch.path(), {"select", "sweep", "--criterion", "oracle", "--algorithms",
                                                  "pair", "--export", "sweep/sweep.json/x"});
  EXPECT_EQ(nowhere.status, 1) << "a folder that cannot be made";
}

TEST(SelectExport, SaysInOneSentenceThatTheWeightsWereNotKept) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), sweep_keeping("last")).status, 0);
  const Chosen chosen = chosen_by_pair(scratch, "pair");
  ASSERT_LT(chosen.step, 30) << "the test needs a step before the last";
  const Answer answer = pair_in(scratch.path(), {"select", "sweep", "--criterion", "pair", "--last", "10",
                                                 "--algorithms", "pair", "--export", "chosen"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.err,
              HasSubstr("pair: " + chosen.run + ": the model of step " + std::to_string(chosen.step) +
                        " was not kept; the nearest is that of step 30. 'pair train --keep-checkpoints all' "
                        "keeps the model of every record\n"));
  EXPECT_FALSE(fs::exists(scratch / "chosen"));
  // The oracle takes the last step, which is there.
  EXPECT_EQ(pair_in(scratch.path(), {"select", "sweep", "--criterion", "oracle", "--export", "last"}).status,
            0);
}

TEST(SelectExport, ReadsARunsOwnFolderWithItsModels) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), run_keeping("all")).status, 0);
  const Answer answer =
      pair_in(scratch.path(), {"select", "run", "--criterion", "train-domain", "--export", "chosen"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err, Not(HasSubstr("models"))) << "they are not runs";
  EXPECT_TRUE(fs::exists(scratch / "chosen/model.json"));
}

TEST(ModelsOfSteps, AreUsedByStep) {
  const Scratch scratch;
  ASSERT_EQ(pair_in(scratch.path(), run_keeping("all")).status, 0);
  const Answer exported = pair_in(scratch.path(), {"export", "run", "--step", "50", "-o", "w.safetensors"});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_EQ(read_file(scratch / "w.safetensors"), read_file(weights_file(kept_folder(scratch / "run", 50))));
  const Answer by_step = pair_in(scratch.path(), {"score", "run", "--step", "50"});
  EXPECT_EQ(by_step.status, 0) << by_step.err;
  EXPECT_EQ(by_step.out, pair_in(scratch.path(), {"score", "run/models/step-000050"}).out);
  EXPECT_NE(by_step.out, pair_in(scratch.path(), {"score", "run"}).out);
  EXPECT_EQ(pair_in(scratch.path(), {"score", "run", "--step", "150"}).out,
            pair_in(scratch.path(), {"score", "run"}).out);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"score", "run", "--step", "51"},
        {"predict", "run", "x.png", "--step", "51"},
        {"export", "run", "--step", "51", "-o", "w.safetensors"}}) {
    const Answer answer = pair_in(scratch.path(), arguments);
    EXPECT_EQ(answer.status, 2) << arguments[0];
    EXPECT_THAT(answer.err,
                HasSubstr("run: the model of step 51 was not kept; the nearest is that of step 50"));
  }
}

TEST(KeepCheckpointsProgram, RefusesContradictionsAndUnknownValues) {
  const Scratch scratch;
  std::vector<std::string> arguments = run_keeping("all");
  arguments.insert(arguments.begin() + 1, "--no-model");
  const Answer contradiction = pair_in(scratch.path(), arguments);
  EXPECT_EQ(contradiction.status, 2);
  EXPECT_THAT(contradiction.err, HasSubstr("--no-model: expected keep_checkpoints to be last, got 'all'"));
  const Answer unknown = pair_in(scratch.path(), run_keeping("some"));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--keep-checkpoints: expected last, best or all, got 'some'"));
  EXPECT_FALSE(fs::exists(scratch / "run"));
  std::vector<std::string> sweep = sweep_keeping("best");
  sweep.insert(sweep.begin() + 2, "--no-models");
  const Answer of_sweep = pair_in(scratch.path(), sweep);
  EXPECT_EQ(of_sweep.status, 2);
  EXPECT_THAT(of_sweep.err, HasSubstr("--no-models: expected keep_checkpoints to be last"));
}

}  // namespace
}  // namespace pair::runs::testing::kept_models_program_test
