#include "pair/train/averaged_weights.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <memory>
#include <sstream>

#include "pair/models/registry.h"
#include "pair/models/weights.h"
#include "pair/train/trainer.h"
#include "tests/support/scratch.h"
#include "tests/train/normalized_model.h"
#include "tests/train/small_data.h"

namespace pair::train::averaged_weights_test {
namespace {

Settings settings_of(double average) {
  Settings settings;
  settings.steps = 10;
  settings.pretrain = 4;
  settings.batch = 16;
  settings.balance_lr = 0.05;
  settings.average = average;
  return settings;
}

std::vector<torch::Tensor> copies(const models::Model& model) {
  std::vector<torch::Tensor> all;
  for (const auto& list : {model.parameters(), model.buffers()}) {
    for (const torch::Tensor& tensor : list) {
      all.push_back(tensor.detach().to(torch::kDouble, /*non_blocking=*/false, /*copy=*/true));
    }
  }
  return all;
}

TEST(AveragedWeights, AreTheMeanOverTheLastStepsAndTrainingDoesNotSeeThem) {
  const auto set = testing::small_data();
  const auto averaged = testing::normalized_model();
  const auto plain = testing::normalized_model();
  Trainer with(set, averaged, settings_of(0.35), 1);  // 4 of 10 steps
  Trainer without(set, plain, settings_of(0.0), 1);
  std::vector<torch::Tensor> sums;
  for (int step = 1; step <= 10; ++step) {
    with.advance();
    without.advance();
    EXPECT_EQ(with.averaged_steps(), step > 6 ? step - 6 : 0);
    EXPECT_EQ(without.averaged_steps(), 0);
    const std::vector<torch::Tensor> now = copies(*averaged);
    const std::vector<torch::Tensor> expected = copies(*plain);
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_TRUE(torch::equal(now[i], expected[i])) << "step " << step;
      if (step > 6) {
        sums.resize(now.size());
        sums[i] = sums[i].defined() ? sums[i] + now[i] : now[i];
      }
    }
  }
  const tests::Scratch scratch;
  with.save_weights(scratch.path() / "average.safetensors");
  const auto loaded = testing::normalized_model(2);
  models::load_weights(*loaded, scratch.path() / "average.safetensors");
  const std::vector<torch::Tensor> means = copies(*loaded);
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (i + 1 < means.size()) {  // the last is BatchNorm's count
      EXPECT_TRUE(torch::allclose(means[i], sums[i] / 4.0, 1e-5, 1e-6)) << i;
    }
  }
  EXPECT_EQ(means.back().item<double>(), copies(*averaged).back().item<double>());
}

TEST(AveragedWeights, AreThoseOfScoresAndPredictions) {
  const auto set = testing::small_data();
  Trainer with(set, settings_of(1.0), 1);
  Trainer without(set, settings_of(0.0), 1);
  for (int step = 0; step < 10; ++step) {
    with.advance();
    without.advance();
  }
  const torch::Tensor before = with.predict(set->held_out[0].inputs);
  const Evaluation evaluation = with.evaluate();
  EXPECT_EQ(evaluation.averaged_steps, 10);
  EXPECT_EQ(without.evaluate().averaged_steps, 0);
  EXPECT_FALSE(torch::equal(before, without.predict(set->held_out[0].inputs)));
  EXPECT_TRUE(torch::equal(before, with.predict(set->held_out[0].inputs)));
  const torch::Tensor right = (before.view({-1}) > 0) == (set->held_out[0].labels > 0.5);
  EXPECT_NEAR(evaluation.scores.back().value, right.to(torch::kDouble).mean().item<double>(), 1e-12);
}

TEST(AveragedWeights, AreResumedBitForBit) {
  const auto set = testing::small_data();
  for (const int stop : {3, 8}) {
    Trainer whole(set, settings_of(0.5), 1);
    Trainer first(set, settings_of(0.5), 1);
    for (int step = 0; step < 10; ++step) {
      whole.advance();
      if (step < stop) {
        first.advance();
      }
    }
    (void)first.evaluate();
    std::stringstream state;
    first.save(state);
    Trainer rest(set, settings_of(0.5), 1);
    rest.load(state);
    while (!rest.finished()) {
      rest.advance();
    }
    EXPECT_EQ(rest.averaged_steps(), 5);
    EXPECT_TRUE(torch::equal(rest.predict(set->held_out[0].inputs), whole.predict(set->held_out[0].inputs)));
  }
}

}  // namespace
}  // namespace pair::train::averaged_weights_test
