#include "pair/train/phases.h"

#include <gtest/gtest.h>

namespace pair::train::phases_test {
namespace {

Settings phase_settings(Scheme scheme) {
  Settings settings;
  settings.scheme = scheme;
  settings.steps = 30;
  settings.pretrain = 10;
  return settings;
}

TEST(Phases, PairBalancesAfterItsDescent) {
  const Settings settings = phase_settings(Scheme::pair);
  const Phases phases(settings);
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    EXPECT_EQ(phases.before(step), step == 10 ? Phases::Change::balance : Phases::Change::none) << step;
  }
}

TEST(Phases, AnOwnUpdateBeginsAfterStepsOfErm) {
  Settings settings = phase_settings(Scheme::own);
  const Phases phases(settings);
  EXPECT_EQ(phases.before(9), Phases::Change::none);
  EXPECT_EQ(phases.before(10), Phases::Change::own_update);
  settings.optimizer = Optimizer::sgd;
  EXPECT_EQ(phases.descent_update().rule, UpdateOptions::Rule::sgd);
}

TEST(Phases, AScheduleInStepsIsStepLr) {
  Settings settings = phase_settings(Scheme::pair);
  settings.decay = Decay::none;
  settings.schedule = Decay::step;
  settings.schedule_every = 4;
  settings.schedule_factor = 0.5;
  const Phases phases(settings);
  EXPECT_EQ(phases.lr(Phase::descent, 3), settings.lr);
  EXPECT_DOUBLE_EQ(phases.lr(Phase::descent, 4), settings.lr / 2);
  EXPECT_DOUBLE_EQ(phases.lr(Phase::balance, 12), settings.balance_lr / 8);
}

TEST(Phases, SgdWithMomentumMayTakeTheStepsOfTheDescent) {
  for (const Scheme scheme : {Scheme::pair, Scheme::linear}) {
    Settings settings = phase_settings(scheme);
    EXPECT_EQ(Phases(settings).descent_update().rule, UpdateOptions::Rule::adam);
    settings.amsgrad = true;
    EXPECT_TRUE(Phases(settings).descent_update().amsgrad);
    settings.optimizer = Optimizer::sgd;
    settings.descent_momentum = 0.8;
    EXPECT_EQ(Phases(settings).descent_update().rule, UpdateOptions::Rule::sgd);
    EXPECT_EQ(Phases(settings).descent_update().momentum, 0.8);
    // A fresh Adam follows, since there is none to continue.
    settings.balance_optimizer = Optimizer::adam;
    ASSERT_TRUE(Phases(settings).balance_update().has_value());
    EXPECT_TRUE(Phases(settings).balance_update()->amsgrad);
  }
}

TEST(Phases, WarmupAndScheduleMultiplyTheRatesOfAllPhases) {
  Settings settings = phase_settings(Scheme::pair);
  settings.decay = Decay::none;
  settings.warmup = 4;
  const Phases phases(settings);
  EXPECT_DOUBLE_EQ(phases.lr(Phase::descent, 0), settings.lr / 4);
  EXPECT_DOUBLE_EQ(phases.lr(Phase::descent, 2), settings.lr * 3 / 4);
  EXPECT_EQ(phases.lr(Phase::descent, 3), settings.lr);
  EXPECT_EQ(phases.lr(Phase::descent, 9), settings.lr);
  EXPECT_EQ(phases.lr(Phase::balance, 20), settings.balance_lr);
  settings.schedule = Decay::cosine;
  EXPECT_DOUBLE_EQ(phases.lr(Phase::descent, 2), settings.lr * 3 / 4);
  EXPECT_EQ(phases.lr(Phase::descent, 4), settings.lr);
  EXPECT_NEAR(phases.lr(Phase::balance, 17), settings.balance_lr / 2, 1e-12);
  EXPECT_LT(phases.lr(Phase::balance, 29), 0.01 * settings.balance_lr);
  EXPECT_GT(phases.lr(Phase::balance, 29), 0.0);
}

// A search over lr then moves both rates.
TEST(Phases, TheRateOfTheBalancePhaseCanBeAFractionOfLr) {
  Settings settings = phase_settings(Scheme::pair);
  settings.decay = Decay::none;
  settings.balance_lr_ratio = 0.05;
  settings.lr = 2e-3;
  EXPECT_DOUBLE_EQ(Phases(settings).lr(Phase::balance, 20), 1e-4);
  settings.balance_lr_ratio = 0.0;
  EXPECT_EQ(Phases(settings).lr(Phase::balance, 20), settings.balance_lr);
}

TEST(Phases, AWarmupLongerThanTheRunIsRefused) {
  Settings settings = phase_settings(Scheme::pair);
  settings.warmup = 31;
  EXPECT_THROW(validate(settings), std::invalid_argument);
}

TEST(Phases, TheLinearSchemeBeginsAFreshUpdateWhereThatIsWanted) {
  Settings settings = phase_settings(Scheme::linear);
  const Phases phases(settings);
  EXPECT_EQ(phases.before(10), Phases::Change::none);
  settings.refresh = true;
  EXPECT_EQ(phases.before(10), Phases::Change::fresh_update);
  EXPECT_EQ(phases.before(11), Phases::Change::none);
}

TEST(Phases, TheLearningRateFallsByACosineOverTheBalancePhase) {
  Settings settings = phase_settings(Scheme::pair);
  const Phases phases(settings);
  EXPECT_EQ(phases.lr(Phase::descent, 3), settings.lr);
  EXPECT_EQ(phases.lr(Phase::balance, 10), settings.balance_lr);
  EXPECT_NEAR(phases.lr(Phase::balance, 20), settings.balance_lr / 2, 1e-12);
  EXPECT_GT(phases.lr(Phase::balance, 29), 0.0);
  settings.decay = Decay::none;
  EXPECT_EQ(phases.lr(Phase::balance, 20), settings.balance_lr);
}

TEST(Phases, TheLearningRateFallsToItsEndOverThePretrainSteps) {
  Settings settings = phase_settings(Scheme::pair);
  settings.lr_end = 0.1;
  const Phases phases(settings);
  EXPECT_EQ(phases.lr(Phase::descent, 0), settings.lr);
  EXPECT_NEAR(phases.lr(Phase::descent, 5), 0.55 * settings.lr, 1e-12);
  EXPECT_NEAR(phases.lr(Phase::descent, 9), 0.19 * settings.lr, 1e-12);
  EXPECT_EQ(phases.lr(Phase::balance, 10), settings.balance_lr);
}

TEST(Phases, TheLinearSchemeMayHaveAnotherLearningRateAfterAnnealing) {
  Settings settings = phase_settings(Scheme::linear);
  const Phases phases(settings);
  EXPECT_EQ(phases.lr(Phase::descent, 20), settings.lr);
  settings.annealed_lr = 1e-4;
  EXPECT_EQ(phases.lr(Phase::descent, 9), settings.lr);
  EXPECT_EQ(phases.lr(Phase::descent, 10), 1e-4);
  EXPECT_NEAR(phases.lr(Phase::descent, 20), 0.5e-4, 1e-12);
}

TEST(Phases, EachHasItsUpdate) {
  Settings settings = phase_settings(Scheme::linear);
  const Phases phases(settings);
  EXPECT_EQ(phases.descent_update().rule, UpdateOptions::Rule::adam);
  settings.optimizer = Optimizer::sgd;
  EXPECT_EQ(phases.descent_update().rule, UpdateOptions::Rule::sgd);
  EXPECT_EQ(phases.descent_update().momentum, 0.0);
  settings.scheme = Scheme::pair;
  EXPECT_EQ(phases.descent_update().rule, UpdateOptions::Rule::sgd);
  settings.optimizer = Optimizer::adam;
  EXPECT_EQ(phases.descent_update().rule, UpdateOptions::Rule::adam);

  ASSERT_TRUE(phases.balance_update().has_value());
  EXPECT_EQ(phases.balance_update()->rule, UpdateOptions::Rule::sgd);
  EXPECT_EQ(phases.balance_update()->momentum, settings.momentum);
  settings.balance_optimizer = Optimizer::adam;
  EXPECT_FALSE(phases.balance_update().has_value());  // the descent's continues
  settings.refresh = true;
  ASSERT_TRUE(phases.balance_update().has_value());  // starts a fresh Adam
  EXPECT_EQ(phases.balance_update()->rule, UpdateOptions::Rule::adam);
  settings.refresh = false;
  settings.freeze_featurizer = true;
  ASSERT_TRUE(phases.balance_update().has_value());  // of fewer parameters
  EXPECT_EQ(phases.balance_update()->rule, UpdateOptions::Rule::adam);
}

}  // namespace
}  // namespace pair::train::phases_test
