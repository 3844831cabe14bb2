#include "pair/train/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/optim.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <vector>

#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/moo/registry.h"
#include "pair/train/guarded_step.h"
#include "pair/train/host_numbers.h"
#include "pair/train/pair_optimizer.h"
#include "pair/train/trainer.h"
#include "pair/train/update.h"
#include "tests/train/small_data.h"

namespace pair::train::guard_test {
namespace {

TEST(Guard, ShrinksAndRecoversTheLearningRate) {
  GuardState guard;
  guard.take_back();
  guard.take_back();
  EXPECT_EQ(guard.backtracking, 0.25);
  guard.hold();
  EXPECT_EQ(guard.backtracking, 0.25 * 1.1);
  guard.refuse();
  EXPECT_EQ(guard.halving, 0.5);
  EXPECT_EQ(guard.lr_factor(), 0.25 * 1.1 * 0.5);
  for (int i = 0; i < 100; ++i) {
    guard.hold();
  }
  EXPECT_EQ(guard.lr_factor(), 0.5);  // a halving is for good
  guard.begin_optimizer();
  EXPECT_EQ(guard.lr_factor(), 1.0);
}

TEST(Guard, ForgetsRefusalsWithAStepUnlessTheyWereTooMany) {
  GuardState guard;
  for (std::int64_t i = 1; i < GuardState::patience; ++i) {
    guard.refuse();
  }
  EXPECT_NO_THROW(guard.check());
  guard.accept();
  EXPECT_EQ(guard.rollbacks_in_a_row, 0);
  for (std::int64_t i = 0; i < GuardState::patience; ++i) {
    guard.refuse();
  }
  guard.accept();
  guard.take_back();
  EXPECT_THROW(guard.check(), Diverged);
}

TEST(Guard, GradientsAtARightAngleToTheVelocityDoNotOpposeIt) {
  EXPECT_TRUE(GuardState::opposed(-1e-30));
  EXPECT_FALSE(GuardState::opposed(0.0));
  EXPECT_FALSE(GuardState::opposed(1.0));
}

// The trainer's update and the step around torch's optimizers, given the same verdicts and gradients.
TEST(Guard, IsTheSameAroundTorchsOptimizersAndInTheTrainersUpdate) {
  struct Event {
    Verdict verdict;
    std::vector<double> gradient;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Event> events = {
      {Verdict::not_finite, {}},   {Verdict::good, {1, 0}},
      {Verdict::good, {0, 1}},                                  // at a right angle
      {Verdict::good, {1, 1}},     {Verdict::good, {-3, -2}},   // opposed
      {Verdict::too_long, {}},     {Verdict::good, {-1, 0.5}},  // there is no velocity
      {Verdict::too_long, {}},     {Verdict::too_long, {}},
      {Verdict::good, {0.3, 0.7}}, {Verdict::bad_gradient, {nan, 0}},
      {Verdict::good, {0.1, 0.2}}, {Verdict::good, {-0.1, -0.1}},
      {Verdict::not_finite, {}},   {Verdict::bad_gradient, {1, nan}},
      {Verdict::too_long, {}},     {Verdict::good, {0.2, -0.4}},
  };
  constexpr double lr = 0.1;
  torch::Tensor ours = torch::tensor({1.0, 2.0}, torch::kDouble).requires_grad_(true);
  torch::Tensor theirs = torch::tensor({1.0, 2.0}, torch::kDouble).requires_grad_(true);
  torch::optim::SGD sgd({theirs}, torch::optim::SGDOptions(lr).momentum(0.9));
  GuardedStep guarded(sgd);
  Update update({ours}, {UpdateOptions::Rule::sgd, 0.9, /*restart=*/true});
  GuardState guard;
  const torch::Tensor losses = torch::ones({1}, torch::kDouble);
  for (std::size_t i = 0; i < events.size(); ++i) {
    SCOPED_TRACE(i);
    const auto& [verdict, gradient] = events[i];
    if (verdict == Verdict::good || verdict == Verdict::bad_gradient) {
      theirs.mutable_grad() = torch::tensor(gradient, torch::kDouble);
      guard.hold();
      update.apply(torch::tensor(gradient, torch::kDouble), losses,
                   torch::tensor(lr * guard.backtracking, torch::kDouble));
      Update::read_tally(to_doubles(update.tally()), guard);
    } else {
      verdict == Verdict::too_long ? update.take_back(guard) : update.refuse(guard);
    }
    guarded.apply(verdict);
    EXPECT_EQ(to_doubles(ours), to_doubles(theirs));
    EXPECT_EQ(guard.restarts, guarded.state().restarts);
    EXPECT_EQ(guard.backtracks, guarded.state().backtracks);
    EXPECT_EQ(guard.rollbacks, guarded.state().rollbacks);
    EXPECT_EQ(guard.rollbacks_in_a_row, guarded.state().rollbacks_in_a_row);
    EXPECT_EQ(guard.lr_factor(), guarded.lr_factor());
  }
  EXPECT_EQ(guard.restarts, 2);
  EXPECT_EQ(guard.backtracks, 4);
  EXPECT_EQ(guard.rollbacks, 4);
}

class GuardedStepTest : public ::testing::Test {
 protected:
  torch::Tensor x = torch::tensor({1.0, 2.0}, torch::kDouble).requires_grad_(true);
  torch::optim::SGD sgd{std::vector<torch::Tensor>{x}, torch::optim::SGDOptions(0.1).momentum(0.9)};

  void step(GuardedStep& guard, double g0, double g1, bool finite = true) {
    x.mutable_grad() = torch::tensor({g0, g1}, torch::kDouble);
    guard.apply(finite ? Verdict::good : Verdict::not_finite);
  }
  std::vector<double> values() { return {x[0].item<double>(), x[1].item<double>()}; }
};

TEST_F(GuardedStepTest, DropsTheMomentumThatTheNewDirectionOpposes) {
  GuardedStep guard(sgd);
  step(guard, 1.0, 0.0);
  step(guard, 1.0, 0.0);  // velocity 1.9
  EXPECT_EQ(guard.state().restarts, 0);
  const double before = values()[0];
  step(guard, -0.5, 0.0);
  EXPECT_EQ(guard.state().restarts, 1);
  EXPECT_NEAR(values()[0], before + 0.05, 1e-12);  // by the gradient alone
}

TEST_F(GuardedStepTest, KeepsItInThePlainStep) {
  GuardedStep guard(sgd, /*restart=*/false);
  step(guard, 1.0, 0.0);
  step(guard, 1.0, 0.0);
  const double before = values()[0];
  step(guard, -0.5, 0.0);
  EXPECT_EQ(guard.state().restarts, 0);
  EXPECT_NEAR(values()[0], before - 0.1 * (0.9 * 1.9 - 0.5), 1e-12);
}

TEST_F(GuardedStepTest, ReturnsToTheLastGoodParametersAndHalvesTheLearningRate) {
  GuardedStep guard(sgd);
  const std::vector<double> good = values();
  step(guard, 1.0, 1.0);
  EXPECT_NE(values(), good);
  const double nan = std::nan("");
  step(guard, nan, nan, /*finite=*/false);  // the loss at the new parameters was not finite
  EXPECT_EQ(values(), good);
  EXPECT_EQ(guard.lr_factor(), 0.5);
  EXPECT_EQ(sgd.param_groups()[0].options().get_lr(), 0.1);  // the optimizer's own stays
  EXPECT_EQ(guard.state().rollbacks, 1);
}

TEST_F(GuardedStepTest, UndoesAStepThatWasTooLongAndRecovers) {
  GuardedStep guard(sgd);
  const std::vector<double> good = values();
  step(guard, 1.0, 0.0);
  guard.apply(Verdict::too_long);
  EXPECT_EQ(values(), good);
  EXPECT_EQ(guard.state().backtracks, 1);
  EXPECT_EQ(guard.lr_factor(), 0.5);
  step(guard, 1.0, 0.0);
  EXPECT_NEAR(values()[0], good[0] - 0.1 * 0.55, 1e-12);
  for (int i = 0; i < 20; ++i) {
    step(guard, 1.0, 0.0);
  }
  EXPECT_EQ(guard.lr_factor(), 1.0);
}

TEST_F(GuardedStepTest, GivesUpAfterTenRefusalsInARow) {
  GuardedStep guard(sgd);
  step(guard, 1.0, 1.0);
  for (int i = 0; i < 9; ++i) {
    step(guard, 0, 0, /*finite=*/false);
  }
  EXPECT_THROW(step(guard, 0, 0, false), Diverged);
  EXPECT_TRUE(std::isfinite(values()[0]));
}

TEST(PairOptimizer, WeighsTheLossesOfAnyLoopAndNeverAppliesWhatIsNotFinite) {
  torch::Tensor x = torch::tensor({0.6, -0.3}, torch::kDouble).requires_grad_(true);
  torch::optim::SGD sgd({x}, torch::optim::SGDOptions(0.05));
  PairOptimizer optimizer(
      sgd, {x}, {.preference = {1, 3}, .solver_options = moo::options_of("epo", {{"epsilon", "1e-4"}})});
  const auto losses = [&x] {
    return std::vector<torch::Tensor>{(x - 1).square().sum(), (x + 1).square().sum()};
  };
  moo::Solution solution;
  for (int step = 0; step < 2000; ++step) {
    solution = optimizer.step(losses());
  }
  // On the front the two losses are a = 2 (1 - t)^2 and b = 2 (1 + t)^2 with a = 3 b.
  const auto at_end = losses();
  EXPECT_NEAR(at_end[0].item<double>() / at_end[1].item<double>(), 3.0, 0.1);
  EXPECT_LT(solution.divergence, 1e-3);

  const torch::Tensor before = x.detach().clone();
  auto broken = losses();
  broken[1] = broken[1] * std::nan("");
  EXPECT_TRUE(optimizer.step(broken).weights.empty());
  EXPECT_TRUE(torch::isfinite(x).all().item<bool>());
  EXPECT_EQ(optimizer.guard().rollbacks, 1);
  EXPECT_LT((x.detach() - before).abs().max().item<double>(), 0.1);
  EXPECT_THROW(optimizer.step({losses()[0]}), moo::InvalidProblem);
}

// A loop of one's own around PairOptimizer beside the trainer, on the same data from the same parameters.
TEST(PairOptimizer, TakesTheDecisionsOfTheTrainer) {
  GuardState both;
  for (const bool backtrack : {true, false}) {
    SCOPED_TRACE(backtrack);
    Settings settings;
    settings.objectives = {"erm", "vrex"};
    settings.preference = {1, 1e3};
    settings.pretrain = 0;
    settings.steps = 40;
    settings.model_options = models::options_of("mlp", {{"width", "8"}});
    settings.balance_lr = backtrack ? 0.6 : 5.0;
    settings.decay = Decay::none;
    settings.backtrack = backtrack;
    const auto set = testing::small_data();
    Trainer trainer(set, settings, 1);

    data::Random random(1, "model");
    auto model = models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}), {.size = 4}, random);
    torch::optim::SGD sgd(model->parameters(),
                          torch::optim::SGDOptions(settings.balance_lr).momentum(settings.momentum));
    PairOptimizer optimizer(sgd, model->head->parameters(),
                            {.preference = settings.preference,
                             .solver_options = settings.solver_options,
                             .backtrack = backtrack});
    for (int step = 0; step < settings.steps; ++step) {
      SCOPED_TRACE(step);
      std::vector<torch::Tensor> risks;
      for (const auto& environment : set->train) {
        risks.push_back(torch::binary_cross_entropy_with_logits(model->forward(environment.inputs).squeeze(1),
                                                                environment.labels));
      }
      const torch::Tensor all = torch::stack(risks);
      optimizer.step({all.mean(), all.var(/*unbiased=*/true)});
      trainer.advance();
      const Evaluation evaluation = trainer.evaluate();
      EXPECT_EQ(evaluation.restarts, optimizer.guard().restarts);
      EXPECT_EQ(evaluation.backtracks, optimizer.guard().backtracks);
      EXPECT_EQ(evaluation.rollbacks, optimizer.guard().rollbacks);
      if (optimizer.guard().restarts > 0) {
        break;  // steps this long magnify how the two round
      }
    }
    both.restarts += optimizer.guard().restarts;
    both.backtracks += optimizer.guard().backtracks;
  }
  EXPECT_GT(both.restarts, 0);
  EXPECT_GT(both.backtracks, 0);
}

TEST(PairOptimizer, ReturnsBuffersWithTheParameters) {
  torch::Tensor x = torch::tensor({0.6, -0.3}, torch::kDouble).requires_grad_(true);
  const torch::Tensor statistic = torch::tensor({1.0});
  torch::optim::SGD sgd({x}, torch::optim::SGDOptions(0.05));
  PairOptimizer optimizer(sgd, {x}, {.preference = {1, 3}, .buffers = {statistic}});
  statistic.fill_(2.0);
  optimizer.step({(x - 1).square().sum(), (x + 1).square().sum()});
  statistic.fill_(std::nan(""));
  optimizer.step({(x - 1).square().sum() * std::nan(""), (x + 1).square().sum()});
  EXPECT_EQ(statistic.item<double>(), 2.0);
}

TEST(PairOptimizer, RefusesToWeighNothing) {
  torch::Tensor x = torch::zeros({2}).requires_grad_(true);
  torch::optim::SGD sgd({x}, torch::optim::SGDOptions(0.1));
  EXPECT_THROW(PairOptimizer(sgd, {}), std::invalid_argument);
  EXPECT_THROW(PairOptimizer(sgd, {x}, {.solver = "epoo"}), std::invalid_argument);
}

}  // namespace
}  // namespace pair::train::guard_test
