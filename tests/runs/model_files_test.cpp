#include "pair/runs/model_files.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "pair/data/environment.h"
#include "pair/data/safetensors.h"
#include "pair/runs/device_name.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/trained.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct FinishedRun {
  explicit FinishedRun(const RunSpec& its_spec, bool keep_model = true) : spec(its_spec) {
    RunHooks hooks;
    hooks.keep_model = keep_model;
    run(spec, folder, datasets, hooks);
  }
  Scratch scratch;
  DatasetCache datasets;
  RunSpec spec;
  fs::path folder = scratch / "run";
};

auto refuses_model(const fs::path& folder, const std::string& sentence) {
  EXPECT_THAT([&] { (void)TrainedModel(folder); }, ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
}

TEST(ModelFiles, GiveTheTrainersOutputsBitForBit) {
  const base::Assignment batch{"batch", "32"};
  for (const RunSpec& spec :
       {small_spec(), small_spec("erm", 3), small_spec("pair", 1, std::span(&batch, 1))}) {
    FinishedRun finished(spec);
    TrainedModel model(finished.folder);
    const torch::Tensor inputs = finished.datasets.get(spec.dataset, spec.seed)->held_out[0].inputs;
    train::Trainer trainer = trained(spec, finished.folder, finished.datasets);
    EXPECT_TRUE(torch::equal(model.outputs(inputs), trainer.predict(inputs)));
    EXPECT_EQ(model.card().dataset, "cmnist");
    EXPECT_EQ(model.card().run, hash(spec));
  }
}

TEST(ModelFiles, AreNamedInDoneByTheirDigest) {
  const FinishedRun finished(small_spec());
  const auto done = nlohmann::json::parse(read_file(done_file(finished.folder)));
  EXPECT_EQ(done.at("model_sha256").get<std::string>().size(), 64U);
  std::string card = read_file(card_file(finished.folder));
  write(card_file(finished.folder), card + "\n");
  refuses_model(finished.folder, "model.json has changed since the run wrote it");
  write(card_file(finished.folder), card);
  std::string weights = read_file(weights_file(finished.folder));
  weights.back() = static_cast<char>(weights.back() ^ 1);
  write(weights_file(finished.folder), weights);
  refuses_model(finished.folder, "model.safetensors has changed since the run wrote it");
  fs::remove(weights_file(finished.folder));
  refuses_model(finished.folder, "cannot read");
}

TEST(ModelFiles, AreEnoughByThemselves) {
  const FinishedRun finished(small_spec());
  fs::create_directory(finished.scratch / "copy");
  for (const fs::path& file : {card_file(finished.folder), weights_file(finished.folder)}) {
    fs::copy_file(file, finished.scratch / "copy" / file.filename());
  }
  const torch::Tensor inputs = torch::ones({2, 392});
  EXPECT_TRUE(torch::equal(TrainedModel(finished.scratch / "copy").outputs(inputs),
                           TrainedModel(finished.folder).outputs(inputs)));
}

TEST(ModelFiles, OfAKilledRunAreWrittenAgainByTheNextTry) {
  const FinishedRun finished(small_spec());
  const std::string card = read_file(card_file(finished.folder));
  const std::string weights = read_file(weights_file(finished.folder));
  const std::string records = read_file(results_file(finished.folder));
  // A kill between the weights and model.json, in the middle of the weights, and before done.
  for (int moment = 0; moment < 3; ++moment) {
    fs::remove(done_file(finished.folder));
    if (moment < 2) {
      fs::remove(card_file(finished.folder));
    }
    if (moment == 1) {
      fs::remove(weights_file(finished.folder));
      write(part_of(weights_file(finished.folder)), weights.substr(0, 100));
    }
    refuses_model(finished.folder, "expected a finished run, got one that is not");
    DatasetCache datasets;
    EXPECT_EQ(run(finished.spec, finished.folder, datasets).status, RunResult::Status::finished);
    EXPECT_EQ(read_file(card_file(finished.folder)), card);
    EXPECT_EQ(read_file(weights_file(finished.folder)), weights);
    EXPECT_EQ(read_file(results_file(finished.folder)), records);
    EXPECT_FALSE(fs::exists(part_of(weights_file(finished.folder))));
    EXPECT_NO_THROW((void)TrainedModel(finished.folder));
  }
}

TEST(ModelFiles, AreLeftOutWhereTheRunKeepsNone) {
  const FinishedRun with(small_spec());
  const FinishedRun without(small_spec(), false);
  EXPECT_FALSE(fs::exists(card_file(without.folder)));
  EXPECT_FALSE(fs::exists(weights_file(without.folder)));
  EXPECT_EQ(read_file(results_file(with.folder)), read_file(results_file(without.folder)));
  EXPECT_EQ(read_file(done_file(without.folder)).find("model"), std::string::npos);
  refuses_model(without.folder,
                "expected a run with a model, got one without model.json; 'pair export' makes it");
  // Those of an earlier attempt are removed.
  fs::remove(done_file(with.folder));
  RunHooks none;
  none.keep_model = false;
  DatasetCache datasets;
  (void)run(with.spec, with.folder, datasets, none);
  EXPECT_FALSE(fs::exists(card_file(with.folder)));
  EXPECT_FALSE(fs::exists(weights_file(with.folder)));
}

TEST(ModelFiles, AreMadeFromTheCheckpointOfARunThatHasNone) {
  const FinishedRun with(small_spec());
  const FinishedRun without(small_spec(), false);
  make_model_from_checkpoint(without.folder);
  EXPECT_EQ(read_file(card_file(with.folder)), read_file(card_file(without.folder)));
  EXPECT_EQ(read_file(weights_file(with.folder)), read_file(weights_file(without.folder)));
  EXPECT_NO_THROW((void)TrainedModel(without.folder));
}

TEST(ModelFiles, HaveTheNamesOfTheModulesAndAllOfTheirNumbers) {
  const FinishedRun finished(small_spec());
  const data::SafetensorsFile file(weights_file(finished.folder));
  for (const char* name : {"hidden0.weight", "hidden0.bias", "hidden1.weight", "head.weight", "head.bias"}) {
    EXPECT_NE(file.find(name), nullptr) << name;
  }
  EXPECT_EQ(file.find("hidden0.weight")->shape, (std::vector<std::int64_t>{16, 392}));
}

TEST(ModelFiles, RefuseFoldersWithoutAModelAndOtherShapes) {
  const FinishedRun finished(small_spec());
  refuses_model(finished.scratch / "none",
                "expected the folder of a finished run, got a path that does not exist");
  refuses_model(card_file(finished.folder), "got a path that is not a folder");
  refuses_model(finished.scratch.path(), "expected the folder of a finished run, got one without model.json");
  TrainedModel model(finished.folder);
  EXPECT_THAT(
      [&] {
        (void)model.outputs(torch::ones({2, 391}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("inputs: expected the shape [392] each, got [391]")));
  EXPECT_THAT(
      [&] {
        (void)model.outputs(torch::ones({0, 392}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("inputs: expected")));
}

TEST(Trained, ReadsARunThatAnotherProcessHolds) {
  const RunSpec spec = small_spec();
  const FinishedRun finished(spec);
  const RunDirectory held(finished.folder, spec);
  DatasetCache datasets;
  EXPECT_TRUE(trained(spec, finished.folder, datasets).finished());
  const RunSpec other = small_spec("pair", 1);
  EXPECT_THROW((void)trained(other, finished.folder, datasets), std::exception);
}

TEST(DeviceName, IsThatOfADeviceOfThisMachine) {
  EXPECT_EQ(device_named("cpu"), torch::Device(torch::kCPU));
  for (const char* name : {"gpu", "", "CPU", "cuda:", "cuda:x", "cuda:-1", "cuda:999", "cuda:257"}) {
    EXPECT_THROW((void)device_named(name), std::invalid_argument) << name;
  }
  try {
    (void)device_named("gpu");
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "device: expected cpu, cuda or cuda:N, got 'gpu'");
  }
}

}  // namespace
}  // namespace pair::runs::testing
