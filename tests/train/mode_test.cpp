#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "pair/algorithms/registry.h"
#include "pair/models/registry.h"
#include "pair/train/kept_buffers.h"
#include "pair/train/mode_guard.h"
#include "pair/train/trainer.h"
#include "tests/train/normalized_model.h"
#include "tests/train/small_data.h"

// Networks whose forward pass depends on their mode and changes their buffers.

namespace pair::train::mode_test {
namespace {

using ::testing::HasSubstr;
using testing::normalized_model;
using testing::NormalizedModel;
using ::testing::ThrowsMessage;

// algorithm: one with an update of its own, for Scheme::own.
Settings mode_settings(Scheme scheme = Scheme::pair, std::int64_t batch = 16,
                       const std::string& algorithm = "") {
  Settings settings;
  settings.scheme = scheme;
  settings.steps = 30;
  settings.pretrain = 12;
  settings.batch = batch;
  settings.balance_lr = 0.05;
  if (scheme != Scheme::pair) {
    settings.objectives = {"erm"};
    settings.preference = {};
  }
  if (scheme == Scheme::own) {
    settings.update = algorithms::algorithm_named(algorithm).update;
  }
  return settings;
}

std::vector<Settings> all_settings() {
  std::vector<Settings> all = {mode_settings(), mode_settings(Scheme::pair, 0), mode_settings(Scheme::linear),
                               mode_settings(Scheme::own, 16, "dann"),
                               mode_settings(Scheme::own, 16, "mixup")};
  all.push_back(mode_settings());
  all.back().freeze_featurizer = true;
  return all;
}

std::vector<torch::Tensor> copies(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> all;
  for (const torch::Tensor& tensor : tensors) {
    all.push_back(tensor.detach().clone());
  }
  return all;
}

void expect_equal(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(torch::equal(a[i], b[i])) << i << ": " << a[i] << b[i];
  }
}

void expect_same_model(const models::Model& a, const models::Model& b) {
  expect_equal(a.parameters(), b.parameters());
  expect_equal(a.buffers(), b.buffers());
}

std::shared_ptr<NormalizedModel> trained_model(const Settings& settings, std::int64_t evaluate_every = 1000) {
  auto model = normalized_model();
  Trainer trainer(testing::small_data(), model, settings, 3);
  while (!trainer.finished()) {
    trainer.advance();
    if (trainer.step() % evaluate_every == 0) {
      (void)trainer.evaluate();
    }
  }
  return model;
}

TEST(TrainingMode, UpdatesRunningStatisticsFromBatches) {
  for (const Settings& settings : all_settings()) {
    SCOPED_TRACE(to_string(settings.scheme));
    const auto model = trained_model(settings);
    const bool frozen = settings.freeze_featurizer;
    EXPECT_EQ(model->norm->num_batches_tracked.item<std::int64_t>(),
              frozen ? settings.pretrain : settings.steps);
    EXPECT_FALSE(model->norm->running_mean.equal(torch::zeros({8})));
  }
}

// Two masks give two losses, for any step.
TEST(TrainingMode, UndoesNoStepIfDropoutDrawsAtEachStep) {
  Trainer trainer(testing::small_data(), normalized_model(), mode_settings(Scheme::pair, 0), 3);
  while (!trainer.finished()) {
    trainer.advance();
  }
  EXPECT_EQ(trainer.evaluate().backtracks, 0);
}

TEST(TrainingMode, EvaluationDependsOnNoOtherSampleAndChangesNothing) {
  const auto set = testing::small_data();
  auto model = normalized_model();
  Trainer trainer(set, model, mode_settings(), 3);
  for (int i = 0; i < 20; ++i) {
    trainer.advance();
  }
  const std::vector<torch::Tensor> parameters = copies(model->parameters());
  const std::vector<torch::Tensor> buffers = copies(model->buffers());
  const torch::Tensor& inputs = set->held_out.front().inputs;
  const torch::Tensor all = trainer.predict(inputs);
  EXPECT_TRUE(all.equal(trainer.predict(inputs)));
  EXPECT_TRUE(torch::allclose(all.narrow(0, 5, 3), trainer.predict(inputs.narrow(0, 5, 3)), 1e-5, 1e-6));
  const Evaluation first = trainer.evaluate();
  const Evaluation second = trainer.evaluate();
  for (std::size_t i = 0; i < first.scores.size(); ++i) {
    EXPECT_EQ(first.scores[i].value, second.scores[i].value);
  }
  const double right = ((all.squeeze(1) > 0).to(torch::kFloat) == set->held_out.front().labels)
                           .to(torch::kDouble)
                           .mean()
                           .item<double>();
  EXPECT_EQ(first.scores.back().value, right);
  expect_equal(model->parameters(), parameters);
  expect_equal(model->buffers(), buffers);
}

TEST(TrainingMode, IsUsedForStepsInAnyModeOfTheModel) {
  for (const Settings& settings : all_settings()) {
    SCOPED_TRACE(to_string(settings.scheme));
    auto model = normalized_model();
    model->eval();
    Trainer trainer(testing::small_data(), model, settings, 3);
    while (!trainer.finished()) {
      model->eval();
      trainer.advance();
      EXPECT_FALSE(model->is_training());
      EXPECT_FALSE(model->norm->is_training());
      (void)trainer.evaluate();
    }
    expect_same_model(*model, *trained_model(settings));
  }
}

TEST(TrainingMode, LeavesAloneWhatSomebodyPutIntoEvaluationMode) {
  auto model = normalized_model();
  Trainer trainer(testing::small_data(), model, mode_settings(), 3);
  model->norm->eval();
  trainer.advance();
  (void)trainer.evaluate();
  trainer.advance();
  EXPECT_FALSE(model->norm->is_training());
  EXPECT_TRUE(model->is_training());
  EXPECT_EQ(model->norm->num_batches_tracked.item<std::int64_t>(), 0);
}

TEST(TrainingMode, ContinuesBitForBitFromWhatWasSavedAtAnyStep) {
  for (const Settings& settings : all_settings()) {
    SCOPED_TRACE(to_string(settings.scheme));
    const auto whole = trained_model(settings);
    for (const int stop : {0, 5, 12, 13, 25}) {
      SCOPED_TRACE(stop);
      std::stringstream saved;
      {
        Trainer part(testing::small_data(), normalized_model(), settings, 3);
        for (int i = 0; i < stop; ++i) {
          part.advance();
        }
        part.save(saved);
      }
      auto model = normalized_model(77);  // what it begins with is replaced
      Trainer resumed(testing::small_data(), model, settings, 3);
      resumed.load(saved);
      while (!resumed.finished()) {
        resumed.advance();
      }
      expect_same_model(*model, *whole);
    }
  }
}

TEST(TrainingMode, GivesTheSameAloneAndBesideOthers) {
  const auto alone = trained_model(mode_settings());
  std::vector<std::shared_ptr<NormalizedModel>> models(2);
  std::vector<std::thread> threads;
  for (auto& model : models) {
    threads.emplace_back([&model] { model = trained_model(mode_settings(), /*evaluate_every=*/3); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const auto& model : models) {
    expect_same_model(*model, *alone);
  }
}

TEST(TrainingMode, ARefusedStepLeavesTheRunningStatisticsFinite) {
  Settings descent = mode_settings(Scheme::linear, 0);
  descent.optimizer = Optimizer::sgd;
  descent.lr = 1e3;  // with this l2 every step multiplies the parameters by two millions
  descent.l2 = 1e3;
  Settings balance = mode_settings(Scheme::pair, 0);
  balance.pretrain = 0;
  for (const Settings& settings : {descent, balance}) {
    SCOPED_TRACE(to_string(settings.scheme));
    auto model = normalized_model();
    Trainer trainer(testing::small_data(), model, settings, 3);
    if (settings.scheme == Scheme::pair) {
      trainer.advance();
      const torch::NoGradGuard no_graph;
      model->parameters().front().fill_(std::nan(""));
    }
    while (trainer.evaluate().rollbacks == 0) {
      ASSERT_FALSE(trainer.finished());
      trainer.advance();
    }
    for (const torch::Tensor& buffer : model->buffers()) {
      EXPECT_TRUE(buffer.isfinite().all().item<bool>()) << buffer;
    }
    EXPECT_TRUE(trainer.predict(testing::small_data()->train.front().inputs).isfinite().all().item<bool>());
  }
}

TEST(TrainingMode, AnAlgorithmThatDivergesLeavesTheRunningStatisticsFinite) {
  auto model = normalized_model();
  Settings settings = mode_settings(Scheme::own, 16, "mixup");
  settings.pretrain = 0;
  Trainer trainer(testing::small_data(), model, settings, 3);
  trainer.advance();
  {
    const torch::NoGradGuard no_graph;
    model->parameters().front().fill_(std::nan(""));
  }
  EXPECT_THROW(trainer.advance(), Diverged);
  for (const torch::Tensor& buffer : model->buffers()) {
    EXPECT_TRUE(buffer.isfinite().all().item<bool>()) << buffer;
  }
}

TEST(TrainingMode, StartsFromBuffersTooAndNeedsThem) {
  const auto set = testing::small_data();
  auto model = normalized_model();
  Trainer other(set, model, mode_settings(), 3);
  other.advance();
  std::stringstream saved;
  other.save(saved);
  auto second = normalized_model(5);
  Trainer trainer(set, second, mode_settings(Scheme::linear), 4);
  trainer.start_from(saved);
  expect_same_model(*second, *model);

  // A checkpoint of a model without buffers belongs to another model.
  std::stringstream without;
  Settings plain = mode_settings();
  plain.model_options = models::options_of("mlp", {{"width", "8"}});
  Trainer(set, plain, 3).save(without);
  EXPECT_THROW(trainer.start_from(without), std::runtime_error);
}

// Checkpoints from before there were buffers: all keys except theirs.
TEST(TrainingMode, LoadsCheckpointsFromBeforeBuffersWereSaved) {
  const auto set = testing::small_data();
  Settings settings = mode_settings();
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  Trainer whole(set, settings, 3);
  std::stringstream saved;
  for (int i = 0; i < 15; ++i) {
    whole.advance();
  }
  whole.save(saved);
  torch::serialize::InputArchive in;
  in.load_from(saved);
  torch::serialize::OutputArchive out;
  for (const std::string& key : in.keys()) {
    if (key.rfind("buffers", 0) == 0) {
      continue;
    }
    c10::IValue value;
    in.read(key, value);
    value.isTensor() ? out.write(key, value.toTensor()) : out.write(key, value);
  }
  std::stringstream old;
  out.save_to(old);
  Trainer resumed(set, settings, 3);
  resumed.load(old);
  EXPECT_EQ(resumed.step(), 15);
  while (!resumed.finished()) {
    resumed.advance();
    whole.advance();
  }
  const torch::Tensor& inputs = set->train.front().inputs;
  EXPECT_TRUE(resumed.predict(inputs).equal(whole.predict(inputs)));
}

TEST(TrainingMode, RefusesModelsThatDoNotFit) {
  const auto set = testing::small_data();
  EXPECT_THAT([&] { Trainer(set, nullptr, mode_settings(), 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got none")));
  set->outputs = 3;
  set->loss = data::TaskLoss::cross_entropy;
  EXPECT_THAT([&] { Trainer(set, normalized_model(), mode_settings(), 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected 3 outputs, as 'small' has, got 1")));
}

TEST(KeptBuffers, ReturnWhereTheStepIsRefusedAndAreKeptWhereItIsNot) {
  const torch::Tensor mean = torch::tensor({1.0F, 2.0F});
  const torch::Tensor count = torch::tensor(std::int64_t{3});
  KeptBuffers kept({mean, count});
  const auto change = [&] {
    mean.add_(10.0);
    count.add_(1);
  };
  change();
  kept.restore_where(torch::tensor(true));
  EXPECT_TRUE(mean.equal(torch::tensor({1.0F, 2.0F})));
  EXPECT_EQ(count.item<std::int64_t>(), 3);
  change();
  kept.restore_where(torch::tensor(false));
  EXPECT_TRUE(mean.equal(torch::tensor({11.0F, 12.0F})));
  change();
  kept.restore();
  EXPECT_TRUE(mean.equal(torch::tensor({11.0F, 12.0F})));
  EXPECT_EQ(count.item<std::int64_t>(), 4);
}

}  // namespace
}  // namespace pair::train::mode_test
