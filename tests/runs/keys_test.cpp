#include "pair/runs/keys.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "pair/train/settings.h"
#include "tests/runs/fixtures.h"

namespace pair::runs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

RunSpec with(std::string_view key, std::string_view text) {
  RunSpec spec;
  set(key_named(key), spec, text);
  return spec;
}

auto setting(std::string_view key, std::string_view text) {
  return [key, text] { (void)with(key, text); };
}

TEST(Keys, AreNamedOnceAndExplained) {
  std::set<std::string_view> names;
  for (const Key& key : keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_THAT(key.summary, Not(IsEmpty())) << key.name;
    EXPECT_THAT(key.accepted, Not(IsEmpty())) << key.name;
  }
}

TEST(Keys, ReadBackWhatTheyShow) {
  for (const Key& key : keys()) {
    RunSpec spec = runs::testing::spec_with(key);
    const std::string text = as_text(key.get(spec));
    set(key, spec, text);
    EXPECT_EQ(as_text(key.get(spec)), text) << key.name;
    set(key, spec, key.get(spec));
    EXPECT_EQ(as_text(key.get(spec)), text) << key.name;
  }
}

TEST(Keys, TakeListsNumbersSwitchesAndNames) {
  EXPECT_THAT(with("preference", "1, 1e4 ,1e-2").settings.preference, ElementsAre(1, 1e4, 1e-2));
  EXPECT_THAT(with("preference", "auto").settings.preference, IsEmpty());
  EXPECT_THAT(with("objectives", "erm, fishr").settings.objectives, ElementsAre("erm", "fishr"));
  EXPECT_THAT(std::get<data::ColoredMnistSpec>(with("test_betas", "0.5").dataset).test_betas,
              ElementsAre(0.5));
  EXPECT_FALSE(with("restart", "no").settings.restart);
  EXPECT_TRUE(with("freeze_featurizer", "1").settings.freeze_featurizer);
  EXPECT_EQ(with("gradients", "phi").settings.gradients, train::GradientSource::featurizer);
  EXPECT_EQ(with("decay", "cosine").settings.decay, train::Decay::cosine);
  EXPECT_EQ(with("seed", "18446744073709551615").seed, UINT64_MAX);
  EXPECT_EQ(with("device", "cuda:1").device, "cuda:1");
  EXPECT_THAT(with("penalties", "1e4,0").settings.penalties, ElementsAre(1e4, 0));
  EXPECT_THAT(with("penalties", "equal").settings.penalties, IsEmpty());
  EXPECT_EQ(with("start", "cmnist-gray-erm-s0-0123456789abcdef").start,
            "cmnist-gray-erm-s0-0123456789abcdef");
  EXPECT_EQ(with("start", "none").start, "");
  EXPECT_EQ(with("optimizer", "sgd").settings.optimizer, train::BalanceOptimizer::sgd);
  EXPECT_EQ(with("irmv1_unbiased", "true").settings.objective_options.irmv1_unbiased, true);
}

TEST(Keys, SayWhatIsAcceptedWhereAValueIsNot) {
  const auto refusal = [](std::string_view key, std::string_view text, std::string_view sentence) {
    EXPECT_THAT(setting(key, text), ThrowsMessage<std::invalid_argument>(HasSubstr(std::string(sentence))));
  };
  refusal("steps", "0", "steps is '0'; accepted are whole numbers from 1 to 1000000000");
  refusal("steps", "1e3", "steps is '1e3'; accepted are whole");
  refusal("steps", "", "steps is ''; accepted are whole");
  refusal("steps", "99999999999999999999", "accepted are whole numbers");
  refusal("seed", "-1", "seed is '-1'; accepted are whole numbers from 0 to 18446744073709551615");
  refusal("lr", "0", "lr is '0'; accepted are numbers above 0 and up to 1000");
  refusal("lr", "nan", "accepted are numbers above 0");
  refusal("lr", "0.1x", "accepted are numbers above 0");
  refusal("momentum", "1", "accepted are numbers from 0 to below 1");
  refusal("alpha", "1.5", "accepted are numbers from 0 to 1");
  refusal("train_betas", "0.1,", "accepted are lists of numbers from 0 to 1, separated by commas");
  refusal("preference", "1,0,2", "accepted are auto and lists of numbers above 0");
  refusal("preference", "inf", "accepted are auto and lists");
  refusal("objectives", "vrex,erm", "accepted are names separated by commas, erm the first");
  refusal("restart", "maybe", "restart is 'maybe'; accepted are true and false");
  refusal("gradients", "psi", "accepted are w, phi and f");
  refusal("device", "gpu", "accepted are cpu, cuda and cuda:N");
  refusal("device", "cuda:999", "accepted are cpu, cuda and cuda:N");
  refusal("penalties", "1,-1", "accepted are equal and lists of numbers from 0 to 1e+12");
  refusal("start", "../elsewhere", "start is '../elsewhere'; accepted are none and names such as");
  refusal("start", "runs/there", "accepted are none and names such as");
  refusal("start", "", "accepted are none and names such as");
  refusal("optimizer", "sdg", "accepted are sgd and adam");
  refusal("model", "", "accepted are names of 'pair list models'");
}

TEST(Keys, LeaveTheSpecAsItWasWhereAValueIsNotAccepted) {
  RunSpec spec;
  EXPECT_ANY_THROW(set(key_named("preference"), spec, "1,0"));
  EXPECT_ANY_THROW(set(key_named("objectives"), spec, "vrex"));
  EXPECT_ANY_THROW(set(key_named("steps"), spec, "0"));
  EXPECT_EQ(canonical(spec), canonical(RunSpec{}));
}

// The ranges stand here for every key and in train/ for whoever uses it as a library: they must not part.
TEST(Keys, RangesAreTheTrainers) {
  for (const auto& [key, good, bad] :
       std::vector<std::array<const char*, 3>>{{"steps", "1000000000", "1000000001"},
                                               {"steps", "1", "0"},
                                               {"pretrain", "0", "-1"},
                                               {"batch", "0", "-1"},
                                               {"lr", "1000", "1001"},
                                               {"lr", "1e-300", "0"},
                                               {"l2", "0", "-0.1"},
                                               {"l2", "1000", "1001"},
                                               {"penalty", "0", "-1"},
                                               {"penalty", "1e12", "1e13"},
                                               {"epsilon", "1e300", "1e301"},
                                               {"epsilon", "0", "-1"},
                                               {"balance_lr", "1000", "1001"},
                                               {"momentum", "0.9999", "1"}}) {
    EXPECT_NO_THROW(train::validate(with(key, good).settings)) << key;
    EXPECT_THROW((void)with(key, bad), std::invalid_argument) << key;
  }
}

}  // namespace
}  // namespace pair::runs
