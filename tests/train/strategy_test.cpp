#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "pair/algorithms/registry.h"
#include "pair/models/registry.h"
#include "pair/train/balanced_strategy.h"
#include "pair/train/checkpoint.h"
#include "pair/train/linear_strategy.h"
#include "pair/train/own_update_strategy.h"
#include "tests/train/normalized_model.h"
#include "tests/train/noting_recorder.h"
#include "tests/train/small_data.h"

// Each strategy alone, on a learner, without the trainer's loop.

namespace pair::train::strategy_test {
namespace {

using ::testing::ElementsAre;

Settings strategy_settings(Scheme scheme) {
  Settings settings;
  settings.scheme = scheme;
  settings.objectives = {"erm", "vrex"};
  settings.preference = {1, 100};
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  settings.pretrain = 5;
  settings.penalty = 4;
  settle(settings);
  return settings;
}

class StrategyTest : public ::testing::Test {
 protected:
  void begin(Scheme scheme, const UpdateOptions& options) {
    settings = strategy_settings(scheme);
    learner = std::make_unique<Learner>(*data, nullptr, settings, 1, link);
    learner->begin_update(options);
  }

  std::shared_ptr<data::EnvironmentSet> data = testing::small_data();
  DeviceLink link{torch::kCPU};
  Settings settings;
  std::unique_ptr<Learner> learner;
};

TEST(LinearWeights, AreAnnealedAndDividedByTheLargest) {
  Settings settings = strategy_settings(Scheme::linear);
  EXPECT_THAT(linear_weights(settings, 4).weights, ElementsAre(1.0, 1.0));
  EXPECT_THAT(linear_weights(settings, 5).weights, ElementsAre(0.25, 1.0));
  EXPECT_EQ(linear_weights(settings, 5).divisor, 4.0);
  settings.objectives = {"erm", "vrex", "irmv1"};
  settings.penalties = {0.5, 0.0};
  EXPECT_THAT(linear_weights(settings, 4).weights, ElementsAre(1.0, 1.0, 0.0));
  EXPECT_THAT(linear_weights(settings, 5).weights, ElementsAre(1.0, 0.5, 0.0));
  settings.scheme = Scheme::pair;  // its descent is ERM's
  EXPECT_THAT(linear_weights(settings, 5).weights, ElementsAre(1.0, 0.0, 0.0));
}

// As the paper's release: the sum of the risks and of SD's penalty, divided by lambda, and after annealing by
// another number. Values by hand.
TEST(LinearWeights, SumOverEnvironmentsAndDivideAfterAnnealing) {
  Settings settings = strategy_settings(Scheme::linear);
  settings.objectives = {"erm", "irmv1", "sd"};
  settings.penalty = 10;
  settings.pretrain_penalty = 1;
  settings.sums = "erm, sd";
  settings.annealed_divisor = 500;
  EXPECT_THAT(linear_weights(settings, 4, 2).weights, ElementsAre(2.0, 1.0, 2.0));
  EXPECT_EQ(linear_weights(settings, 4, 2).divisor, 1.0);
  EXPECT_THAT(linear_weights(settings, 5, 2).weights, ElementsAre(2.0 / 5000, 10.0 / 5000, 20.0 / 5000));
  EXPECT_EQ(linear_weights(settings, 5, 2).divisor, 5000.0);
  settings.pretrain = 0;  // without annealing, nothing is divided
  EXPECT_THAT(linear_weights(settings, 5, 2).weights, ElementsAre(0.2, 1.0, 2.0));
}

TEST(LinearWeights, OfPairsDescentAreErmsUnlessOthersAreGiven) {
  Settings settings = strategy_settings(Scheme::pair);
  settings.objectives = {"erm", "irmv1", "vrex"};
  EXPECT_THAT(linear_weights(settings, 0, 2).weights, ElementsAre(1.0, 0.0, 0.0));
  settings.descent_penalties = {0, 1};
  EXPECT_THAT(linear_weights(settings, 0, 2).weights, ElementsAre(1.0, 0.0, 1.0));
}

TEST(LinearWeights, NameObjectivesThatTheRunDoesNotHave) {
  Settings settings = strategy_settings(Scheme::linear);
  settings.sums = "erm,sd";
  EXPECT_THAT([&] { validate(settings); },
              ::testing::ThrowsMessage<std::invalid_argument>(
                  ::testing::HasSubstr("sums: expected none, or objectives of the run (")));
  settings = strategy_settings(Scheme::pair);
  settings.descent_penalties = {1, 1, 1};
  EXPECT_THAT([&] { validate(settings); }, ::testing::ThrowsMessage<std::invalid_argument>(
                                               ::testing::HasSubstr("descent_penalties: expected none")));
}

// The gradient of a step is that of the sum: with l2 halved against the risks, since the sum of two risks is
// twice their mean.
TEST_F(StrategyTest, LinearTakesTheGradientOfTheSum) {
  const auto after_a_step = [&](const char* sums, double l2) {
    settings = strategy_settings(Scheme::linear);
    settings.objectives = {"erm"};
    settle(settings);
    settings.sums = sums;
    settings.l2 = l2;
    learner = std::make_unique<Learner>(*data, nullptr, settings, 1, link);
    learner->begin_update({UpdateOptions::Rule::sgd, 0.0, false});
    LinearStrategy strategy(*learner, settings);
    const torch::Tensor before = learner->update->parameters().clone();
    strategy.advance(0, 1.0);
    strategy.settle();
    return (learner->update->parameters() - before).clone();
  };
  EXPECT_TRUE(torch::allclose(after_a_step("erm", 0.02), 2.0 * after_a_step("none", 0.01), 1e-4, 1e-6));
  EXPECT_FALSE(torch::allclose(after_a_step("erm", 0.01), after_a_step("none", 0.01), 1e-4, 1e-6));
}

TEST_F(StrategyTest, LinearTellsItsLossesWhenItIsSettled) {
  begin(Scheme::linear, {});
  LinearStrategy strategy(*learner, settings);
  const torch::Tensor before = learner->update->parameters().clone();
  strategy.advance(0, settings.lr);
  EXPECT_FALSE(learner->update->parameters().equal(before));
  EXPECT_TRUE(learner->progress.last.losses.empty());
  strategy.settle();
  const LastStep& last = learner->progress.last;
  ASSERT_EQ(last.losses.size(), 2U);
  EXPECT_NEAR(last.loss, last.losses[0] + last.losses[1] + settings.l2 * before.square().sum().item<double>(),
              1e-5);
}

TEST_F(StrategyTest, LinearRefusesAStepThatIsNotFinite) {
  begin(Scheme::linear, {});
  LinearStrategy strategy(*learner, settings);
  strategy.advance(0, settings.lr);
  {
    const torch::NoGradGuard no_graph;
    learner->model->head->bias.fill_(std::nan(""));
  }
  strategy.advance(1, settings.lr);
  strategy.settle();
  EXPECT_EQ(learner->progress.guard.rollbacks, 1);
  EXPECT_TRUE(learner->update->parameters().isfinite().all().item<bool>());
  for (std::int64_t i = 0; i < GuardState::patience; ++i) {
    const torch::NoGradGuard no_graph;
    learner->model->head->bias.fill_(std::nan(""));
    learner->update->apply(learner->update->parameters(), torch::ones({2}, torch::kDouble),
                           torch::tensor(0.1, torch::kDouble));
  }
  EXPECT_THROW(strategy.settle(), Diverged);
}

TEST_F(StrategyTest, BalancedFollowsTheSolverAndKeepsWhatItNeedsInACheckpoint) {
  begin(Scheme::pair, {UpdateOptions::Rule::sgd, 0.9, true});
  BalancedStrategy strategy(*learner, settings);
  strategy.advance(0, 0.05);
  const std::vector<double> weights = learner->progress.last.weights;
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_NEAR(weights[0] + weights[1], 1.0, 1e-12);
  EXPECT_EQ(learner->progress.last.conflict.size(), 1U);
  EXPECT_GT(learner->progress.divergence, 0.0);

  std::stringstream file;
  learner->progress.steps = 1;
  learner->progress.phase = Phase::balance;
  write_checkpoint(file, *learner, strategy, AveragedWeights(*learner->model, settings));
  strategy.advance(1, 0.05);
  const torch::Tensor expected = learner->update->parameters().clone();

  begin(Scheme::pair, {UpdateOptions::Rule::sgd, 0.9, true});
  torch::serialize::InputArchive archive = open_checkpoint(file, link);
  EXPECT_EQ(read_phase(archive), Phase::balance);
  read_model(archive, *learner->model);
  BalancedStrategy resumed(*learner, settings);
  read_state(archive, *learner, resumed);
  EXPECT_EQ(learner->progress.steps, 1);
  EXPECT_EQ(learner->progress.last.weights, weights);
  resumed.advance(1, 0.05);
  EXPECT_TRUE(learner->update->parameters().equal(expected));
}

TEST_F(StrategyTest, BalancedRefusesAStepThatIsNotFiniteAndHasNoLossForIt) {
  begin(Scheme::pair, {UpdateOptions::Rule::sgd, 0.9, true});
  BalancedStrategy strategy(*learner, settings);
  strategy.advance(0, 0.05);
  EXPECT_TRUE(std::isfinite(learner->progress.last.loss));
  {
    const torch::NoGradGuard no_graph;
    learner->model->head->bias.fill_(std::nan(""));
  }
  strategy.advance(1, 0.05);
  EXPECT_EQ(learner->progress.guard.rollbacks, 1);
  EXPECT_TRUE(learner->progress.last.weights.empty());
  EXPECT_TRUE(std::isnan(learner->progress.last.loss));
  EXPECT_TRUE(learner->update->parameters().isfinite().all().item<bool>());
}

TEST_F(StrategyTest, BalancedUndoesAStepThatWasTooLong) {
  begin(Scheme::pair, {UpdateOptions::Rule::sgd, 0.9, true});
  BalancedStrategy strategy(*learner, settings);
  const torch::Tensor before = learner->update->parameters().clone();
  strategy.advance(0, 1000.0);
  EXPECT_FALSE(learner->update->parameters().equal(before));
  strategy.advance(1, 1000.0);
  EXPECT_EQ(learner->progress.guard.backtracks, 1);
  EXPECT_EQ(learner->progress.guard.backtracking, 0.5);
  EXPECT_TRUE(learner->update->parameters().equal(before));
}

// An algorithm that changes a buffer and, on request, diverges.
class Counting : public Algorithm {
 public:
  Counting(torch::Tensor buffer, bool& diverges) : buffer_(std::move(buffer)), diverges_(diverges) {}
  void advance(const Batch& /*batch*/, double lr, data::Random& /*random*/) override {
    lr_ = lr;
    buffer_.add_(1.0);
    if (diverges_) {
      throw Diverged("as told");
    }
    loss_ += 1.0;
  }
  [[nodiscard]] double lr() const { return lr_; }  // of the last update
  [[nodiscard]] NamedLosses losses() const override { return {{"loss", loss_}}; }
  void save(torch::serialize::OutputArchive& archive) const override {
    archive.write("loss", c10::IValue(loss_));
  }
  void load(torch::serialize::InputArchive& archive) override {
    c10::IValue value;
    archive.read("loss", value);
    loss_ = value.toDouble();
  }

 private:
  torch::Tensor buffer_;
  bool& diverges_;
  double loss_ = 0.0;
  double lr_ = 0.0;
};

TEST_F(StrategyTest, OwnUpdateTellsNamedLossesAndReturnsBuffersWhereItDiverges) {
  settings = strategy_settings(Scheme::own);
  settings.objectives = {"erm"};
  settings.batch = 4;
  auto model = testing::normalized_model();
  learner = std::make_unique<Learner>(*data, model, settings, 1, link);
  learner->begin_update({});
  bool diverges = false;
  const torch::Tensor buffer = model->norm->running_mean;
  auto counting = std::make_unique<Counting>(buffer, diverges);
  const Counting& algorithm = *counting;
  OwnUpdateStrategy strategy(*learner, std::move(counting));
  strategy.advance(0, 0.1);
  strategy.advance(1, 0.05);
  EXPECT_EQ(algorithm.lr(), 0.05);
  EXPECT_THAT(strategy.take_named_losses(), ElementsAre(std::pair("loss", 1.5)));  // the mean
  const torch::Tensor before = buffer.clone();
  diverges = true;
  EXPECT_THROW(strategy.advance(2, 0.1), Diverged);
  EXPECT_TRUE(buffer.equal(before));
}

// DANN's two kinds of updates take turns; each is recorded when its second turn comes.
TEST_F(StrategyTest, DannsUpdatesAreRecorded) {
  settings = strategy_settings(Scheme::own);
  settings.update = algorithms::algorithm_named("dann").update;
  settings.objectives = {"erm"};
  std::vector<std::string> notes;
  DeviceLink noting{torch::kCPU, std::make_unique<testing::NotingRecorder>(notes)};
  learner = std::make_unique<Learner>(*data, nullptr, settings, 1, noting);
  const auto strategy = make_own_strategy(*learner, settings, *data, 1);
  strategy->begin();
  notes.clear();
  for (std::int64_t step = 0; step < 6; ++step) {
    strategy->advance(step, settings.lr);
  }
  EXPECT_EQ(std::ranges::count(notes, "perform"), 2);
  EXPECT_EQ(std::ranges::count(notes, "record 1"), 2);
  EXPECT_EQ(std::ranges::count(notes, "play 0"), 4);
  learner.reset();  // before its link
}

}  // namespace
}  // namespace pair::train::strategy_test
