#include "pair/runs/idle_settings.h"

#include <gmock/gmock.h>

#include "pair/algorithms/registry.h"
#include "pair/data/registry.h"
#include "pair/runs/settings.h"

namespace pair::runs::testing::idle_settings_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> idle_in(const char* algorithm, const base::Assignments& overrides,
                                 const char* dataset = "cmnist") {
  return idle_settings_of(resolve(dataset, algorithm, overrides));
}

TEST(IdleSettings, AreHoldAtNoiseWithoutTrack) {
  EXPECT_THAT(idle_in("pair", {{"batch", "64"}, {"track", "1"}, {"hold_at_noise", "true"}}),
              ElementsAre("hold_at_noise has no effect without track"));
  EXPECT_THAT(idle_in("pair", {{"batch", "64"}, {"track", "10"}, {"hold_at_noise", "true"}}), IsEmpty());
}

TEST(IdleSettings, AreThoseOfAScheduleInStepsWithoutOne) {
  const base::Assignments steps = {{"schedule_every", "10"}, {"schedule_factor", "0.5"}};
  EXPECT_THAT(idle_in("erm", steps), ElementsAre("schedule_every has no effect without schedule=step",
                                                 "schedule_factor has no effect without schedule=step"));
  base::Assignments with = steps;
  with.emplace_back("schedule", "step");
  EXPECT_THAT(idle_in("erm", with), IsEmpty());
  with.back().second = "cosine";
  EXPECT_EQ(idle_in("erm", with).size(), 2U);
}

TEST(IdleSettings, AreTheMomentumOfAnSgdThatTakesNoSteps) {
  EXPECT_THAT(idle_in("irmv1", {{"descent_momentum", "0.5"}}),
              ElementsAre("descent_momentum has no effect without optimizer=sgd"));
  EXPECT_THAT(idle_in("irmv1", {{"descent_momentum", "0.5"}, {"optimizer", "sgd"}}), IsEmpty());
}

TEST(IdleSettings, AreThoseOfSgdIfAdamBalances) {
  const base::Assignments of_sgd = {{"momentum", "0.5"}, {"restart", "false"}};
  EXPECT_THAT(idle_in("pair", of_sgd), IsEmpty());
  base::Assignments with = of_sgd;
  with.emplace_back("balance_optimizer", "adam");
  EXPECT_THAT(idle_in("pair", with), ElementsAre("momentum has no effect with balance_optimizer=adam",
                                                 "restart has no effect with balance_optimizer=adam"));
}

TEST(IdleSettings, AreAmsgradIfNoPhaseHasAdam) {
  const std::string sentence = "amsgrad has no effect without a step of Adam";
  EXPECT_THAT(idle_in("erm", {{"amsgrad", "true"}}), IsEmpty());
  EXPECT_THAT(idle_in("erm", {{"amsgrad", "true"}, {"optimizer", "sgd"}}), ElementsAre(sentence));
  EXPECT_THAT(idle_in("pair", {{"amsgrad", "true"}, {"optimizer", "sgd"}}), ElementsAre(sentence));
  EXPECT_THAT(idle_in("pair", {{"amsgrad", "true"}, {"pretrain", "0"}}), ElementsAre(sentence));
  EXPECT_THAT(idle_in("pair", {{"amsgrad", "true"}, {"optimizer", "sgd"}, {"balance_optimizer", "adam"}}),
              IsEmpty());
}

TEST(IdleSettings, AreThoseOfPretrainStepsWithoutAny) {
  base::Assignments settings = {
      {"annealed_divisor", "2"}, {"lr_end", "0.5"}, {"refresh", "true"}, {"pretrain_penalty", "0"}};
  EXPECT_THAT(idle_in("irmv1", settings), IsEmpty());
  settings.emplace_back("pretrain", "0");
  EXPECT_THAT(
      idle_in("irmv1", settings),
      ElementsAre("annealed_divisor has no effect with pretrain=0", "lr_end has no effect with pretrain=0",
                  "refresh has no effect with pretrain=0", "pretrain_penalty has no effect with pretrain=0"));
  EXPECT_THAT(idle_in("dann", {{"pretrain", "0"}, {"lr_end", "0.5"}}),
              ElementsAre("lr_end has no effect with pretrain=0"));
}

TEST(IdleSettings, AreARateThatAFractionReplaces) {
  EXPECT_THAT(idle_in("pair", {{"balance_lr", "0.1"}, {"balance_lr_ratio", "0.5"}}),
              ElementsAre("balance_lr has no effect with balance_lr_ratio above 0, which replaces it"));
  EXPECT_THAT(idle_in("pair", {{"balance_lr_ratio", "0.5"}}), IsEmpty());
  EXPECT_THAT(idle_in("pair", {{"balance_lr", "0.1"}}, "ColoredMNIST"), IsEmpty())
      << "a given rate is in place of the default fraction";
}

TEST(IdleSettings, AreConflictWithOneObjective) {
  EXPECT_THAT(idle_in("erm", {{"conflict", "true"}}), ElementsAre("conflict has no effect with erm alone"));
  EXPECT_THAT(idle_in("irmv1", {{"conflict", "true"}}), IsEmpty());
}

// The defaults of PAIR-o on ColoredMNIST have hold_at_noise, those of IRMX on cmnist refresh.
TEST(IdleSettings, AreNotDefaultsThatAnotherSettingMakesIdle) {
  ASSERT_TRUE(resolve("ColoredMNIST", "pair").settings.hold_at_noise);
  EXPECT_THAT(idle_in("pair", {{"track", "1"}}, "ColoredMNIST"), IsEmpty());
  ASSERT_TRUE(resolve("cmnist", "irmx").settings.refresh);
  EXPECT_THAT(idle_in("irmx", {{"pretrain", "0"}}), IsEmpty());
}

TEST(IdleSettings, AreNotThoseOfAnotherScheme) {
  RunSpec spec = resolve("cmnist", "erm", {{{"balance_optimizer", "adam"}, {"momentum", "0.5"}}});
  EXPECT_THAT(idle_settings_of(spec), IsEmpty());
}

TEST(IdleSettings, AreNotInTheDefaultsOfAnyAlgorithm) {
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    for (const data::DatasetEntry& dataset : data::datasets()) {
      const auto idle_with = [&](const base::Assignments& overrides) {
        return idle_settings_of(resolve(dataset.name, algorithm.name, overrides));
      };
      SCOPED_TRACE(algorithm.name + " on " + dataset.name);
      EXPECT_THAT(idle_with({}), IsEmpty());
      EXPECT_THAT(idle_with({{"batch", "64"}}), IsEmpty());
      EXPECT_THAT(idle_with({{"batch", "64"}, {"steps", "30"}}), IsEmpty());
      EXPECT_THAT(idle_with({{"pretrain", "0"}}), IsEmpty());
      EXPECT_THAT(idle_with({{"model", "linear"}}), IsEmpty());
    }
  }
}

}  // namespace
}  // namespace pair::runs::testing::idle_settings_test
