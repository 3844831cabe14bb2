#include <gmock/gmock.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include <cmath>
#include <string>

#include "pair/base/numbers.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "tests/objectives/batches.h"

namespace pair::objectives::dann_test {
namespace {

using data::Random;
using data::TaskLoss;
using testing::Batch;
using ::testing::HasSubstr;
using testing::random_batch;
using ::testing::ThrowsMessage;

std::unique_ptr<Objective> dann_with(const std::string& lr) {
  return make_objective("dann", options_of("dann", {{"dann_lr", lr}, {"dann_width", "16"}}));
}

// Two environments whose features differ in their first coordinate.
Batch separable() {
  Batch batch = random_batch(TaskLoss::binary_cross_entropy, {12, 8});
  batch.features.slice(0, 0, 12).select(1, 0).add_(5.0);
  return batch;
}

TEST(DannObjective, GrowsAsTheAdversaryLearnsUpToTheEntropyOfTheEnvironments) {
  const Batch batch = separable();
  const auto objective = dann_with("0.02");
  Random random(1, "objective");
  const double first = objective->value(batch.view(), random).item<double>();
  double last = first;
  for (int step = 0; step < 200; ++step) {
    last = objective->value(batch.view(), random).item<double>();
  }
  const double entropy = -(0.6 * std::log(0.6) + 0.4 * std::log(0.4));
  EXPECT_GE(first, 0.0);
  EXPECT_GT(last, 0.9 * entropy);
  EXPECT_LE(last, entropy);
}

TEST(DannObjective, IsNearZeroWhereEnvironmentsAreEqual) {
  const Batch half = random_batch(TaskLoss::binary_cross_entropy, {10});
  const torch::Tensor twice = torch::cat({torch::arange(10), torch::arange(10)}).to(torch::kInt64);
  const Batch equal = half.rows(twice, {10, 10});
  const auto objective = dann_with("0.02");
  Random random(1, "objective");
  double last = 1.0;
  for (int step = 0; step < 300; ++step) {
    last = objective->value(equal.view(), random).item<double>();
  }
  EXPECT_LT(last, 1e-3);
}

TEST(DannObjective, GradientMatchesFiniteDifferencesAtAFixedAdversary) {
  const Batch batch = separable();
  const auto learned = dann_with("0.02");
  Random random(1, "objective");
  for (int step = 0; step < 30; ++step) {
    static_cast<void>(learned->value(batch.view(), random));
  }
  const auto value = [&] {
    const auto objective = dann_with("1e-15");  // does not move
    objective->restore(learned->state());
    return objective->value(batch.view(), random);
  };
  const torch::Tensor features = batch.features.requires_grad_();
  const torch::Tensor gradient = torch::autograd::grad({value()}, {features})[0];
  EXPECT_GT(gradient.abs().max().item<double>(), 1e-3);
  const torch::NoGradGuard no_graph;
  for (const auto& [row, column] : {std::pair{0, 0}, {5, 1}, {13, 0}, {19, 2}}) {
    constexpr double reach = 1e-6;
    features[row][column] += reach;
    const double above = value().item<double>();
    features[row][column] -= 2 * reach;
    const double below = value().item<double>();
    features[row][column] += reach;
    EXPECT_NEAR(gradient[row][column].item<double>(), (above - below) / (2 * reach), 1e-6);
  }
}

TEST(DannObjective, ResumesFromItsStateWithoutDrawing) {
  const Batch batch = separable();
  const auto original = dann_with("0.02");
  Random random(1, "objective");
  EXPECT_TRUE(original->state().empty());
  static_cast<void>(original->value(batch.view(), random));
  const std::vector<torch::Tensor> saved = original->state();
  const double expected = original->value(batch.view(), random).item<double>();
  const std::string drawn = random.state();
  const auto resumed = dann_with("0.02");
  resumed->restore(saved);
  EXPECT_EQ(resumed->value(batch.view(), random).item<double>(), expected);
  EXPECT_EQ(random.state(), drawn);
}

TEST(DannObjective, RefusesOtherEnvironments) {
  const auto objective = dann_with("0.02");
  Random random(1, "objective");
  static_cast<void>(objective->value(separable().view(), random));
  const Batch three = random_batch(TaskLoss::binary_cross_entropy, {4, 4, 4});
  EXPECT_THAT(
      [&] { static_cast<void>(objective->value(three.view(), random)); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("dann: expected a batch of the same environments")));
}

}  // namespace
}  // namespace pair::objectives::dann_test
