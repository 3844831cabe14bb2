#include "pair/runs/settings.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "pair/algorithms/registry.h"
#include "pair/data/registry.h"
#include "pair/models/registry.h"
#include "pair/runs/known_settings.h"
#include "pair/train/settings.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::settings_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

RunSpec with(std::string_view name, std::string_view text) {
  RunSpec spec = runs::testing::spec_with(name);
  set(spec, name, text);
  return spec;
}

auto setting(std::string_view key, std::string_view text) {
  return [key, text] { (void)with(key, text); };
}

TEST(Settings, AreNamedOnceAndExplained) {
  std::set<std::string> names;
  for (const KnownSetting& known : known_settings()) {
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
    EXPECT_THAT(known.summary, Not(IsEmpty())) << known.name;
    EXPECT_THAT(known.accepted, Not(IsEmpty())) << known.name;
  }
}

struct TakenOptions {
  double weight = 0.5;
};

void describe(base::Fields<TakenOptions>& field) {
  field.number("fishr_ema", &TakenOptions::weight, {.low = 0, .high = 1}, "an option of fishr's name");
}

struct SharedOptions {
  std::int64_t units = 1;
};

void describe(base::Fields<SharedOptions>& field) {
  field.whole("width", &SharedOptions::units, std::int64_t{1}, 8, "an option of another model's name");
}

// In a process of its own, since an extension must be added before the lists are first used.
template <class Options>
int resolving_with_a_model_of() {
  models::add_model({.name = "toy", .summary = "a toy", .options = base::Options::of<Options>()});
  try {
    (void)resolve("cmnist", "erm");
  } catch (const std::invalid_argument& refused) {
    std::cerr << refused.what() << '\n';
    return 2;
  }
  return 0;
}

TEST(Settings, BelongToOnePartOfARun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(resolving_with_a_model_of<TakenOptions>()), ::testing::ExitedWithCode(2),
              "model toy: expected .*, got 'fishr_ema', which belongs to objective fishr");
  EXPECT_EXIT(std::exit(resolving_with_a_model_of<SharedOptions>()), ::testing::ExitedWithCode(0), "");
}

TEST(Settings, ThatDatasetsShareNameAllOfThemWithTheirOwnDefaults) {
  const KnownSetting& holdout = known_setting("holdout");
  EXPECT_THAT(holdout.belongs_to,
              AllOf(StartsWith("dataset cmnist"), HasSubstr(", table"), HasSubstr(", PACS")));
  const auto of = [&holdout](std::string_view extension) {
    return *std::ranges::find(holdout.declarations, extension, &KnownSetting::Declaration::extension);
  };
  EXPECT_EQ(of("cmnist").default_value, "0");
  EXPECT_EQ(of("table").default_value, "0.2");
  EXPECT_NE(of("table").accepted, of("cmnist").accepted);
  EXPECT_THAT(
      [] {
        (void)resolve("cmnist", "erm", base::Assignments{{"image_size", "64"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("it belongs to dataset PACS, VLCS, ")));
  EXPECT_TRUE(known_setting("steps").declarations.empty());
}

// Runs ignore settings that they do not have, so a misspelled one in a declaration would have no effect.
TEST(Settings, ThatDeclarationsNameAreKnownAndSoAreTheirPlaces) {
  std::set<std::string> places = {""};
  for (const data::DatasetEntry& dataset : data::datasets()) {
    places.insert({dataset.protocol, dataset.variant});
    for (const auto& [name, value] : dataset.settings) {
      EXPECT_NO_THROW((void)known_setting(name)) << dataset.name << ": " << name;
    }
  }
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    for (const algorithms::Defaults& defaults : algorithm.defaults) {
      EXPECT_TRUE(places.contains(defaults.where)) << algorithm.name << ": " << defaults.where;
      for (const auto& [name, value] : defaults.settings) {
        EXPECT_NO_THROW((void)known_setting(name)) << algorithm.name << ": " << name;
      }
    }
    for (const algorithms::Drawn& drawn : algorithm.drawn) {
      EXPECT_TRUE(places.contains(drawn.where)) << algorithm.name << ": " << drawn.where;
      EXPECT_TRUE(places.contains(drawn.except)) << algorithm.name << ": " << drawn.except;
      EXPECT_NO_THROW((void)known_setting(drawn.setting)) << algorithm.name << ": " << drawn.setting;
    }
  }
}

TEST(Settings, ReadBackWhatTheyShow) {
  for (const KnownSetting& known : known_settings()) {
    RunSpec spec = runs::testing::spec_with(known.name);
    const std::string text = text_of(spec, known.name);
    set(spec, known.name, text);
    EXPECT_EQ(text_of(spec, known.name), text) << known.name;
    set(spec, known.name, value_of(spec, known.name));
    EXPECT_EQ(text_of(spec, known.name), text) << known.name;
  }
}

// An option is a run's only if the run has what the option belongs to.
TEST(Settings, BelongToWhatDeclaresThem) {
  EXPECT_NE(find_setting(resolve("cmnist", "fishr"), "fishr_ema"), nullptr);
  EXPECT_EQ(find_setting(resolve("cmnist", "erm"), "fishr_ema"), nullptr);
  EXPECT_EQ(find_setting(resolve("ColoredMNIST", "erm"), "width"), nullptr) << "mnist_cnn has no width";
  RunSpec spec = resolve("cmnist", "erm");
  EXPECT_THAT([&] { set(spec, "fishr_ema", "0.9"); },
              ThrowsMessage<std::invalid_argument>(
                  "fishr_ema does not apply to cmnist with erm; it belongs to objective fishr"));
  set(spec, "objectives", "erm,fishr");
  EXPECT_NO_THROW(set(spec, "fishr_ema", "0.9"));
  set(spec, "model", "linear");
  EXPECT_EQ(find_setting(spec, "width"), nullptr);
}

TEST(Settings, OfASolverAreThoseOfTheSolverThatTheRunHas) {
  RunSpec spec = resolve("cmnist", "pair");
  EXPECT_EQ(text_of(spec, "epsilon"), "0.1") << "the paper's in training; 1e-4 in 'pair solve'";
  EXPECT_THAT([&] { set(spec, "radius", "0.3"); },
              ThrowsMessage<std::invalid_argument>(
                  "radius does not apply to cmnist with pair; it belongs to solver cagrad"));
  set(spec, "solver", "cagrad");
  EXPECT_EQ(text_of(spec, "radius"), "0.5");
  set(spec, "radius", "0.3");
  EXPECT_EQ(text_of(spec, "radius"), "0.3");
  EXPECT_THAT([&] { set(spec, "radius", "1"); },
              ThrowsMessage<std::invalid_argument>("radius: expected a number from 0 to below 1, got '1'"));
  EXPECT_THAT(
      [&] { set(spec, "epsilon", "0.2"); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("it belongs to solver epo, epo_smooth, epo_worst")));
  EXPECT_THAT([&] { set(spec, "solver", "cagra"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'cagrad'?")));
}

TEST(Settings, OfASolverAreReadByPairAlone) {
  EXPECT_TRUE(is_read(resolve("cmnist", "pair"), "epsilon"));
  EXPECT_FALSE(is_read(resolve("cmnist", "irmv1"), "epsilon"));
  EXPECT_FALSE(is_read(resolve("cmnist", "irmv1"), "solver"));
  EXPECT_TRUE(is_read(resolve("cmnist", "irmv1"), "penalty"));
  EXPECT_FALSE(is_read(resolve("cmnist", "irmv1"), "nothing"));
}

TEST(Settings, OfAFreshAdamAreReadByPairAndByPenalties) {
  EXPECT_TRUE(is_read(resolve("cmnist", "pair"), "refresh"));
  EXPECT_TRUE(is_read(resolve("cmnist", "vrex"), "refresh"));
}

TEST(Settings, TakeListsNumbersSwitchesAndNames) {
  EXPECT_THAT(with("preference", "1, 1e4 ,1e-2").settings.preference, ElementsAre(1, 1e4, 1e-2));
  EXPECT_THAT(with("preference", "auto").settings.preference, IsEmpty());
  EXPECT_THAT(with("objectives", "erm, fishr").settings.objectives, ElementsAre("erm", "fishr"));
  EXPECT_THAT(with("test_betas", "0.5").dataset.options.as<data::ColoredMnistSpec>().test_betas,
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
  EXPECT_EQ(with("optimizer", "sgd").settings.optimizer, train::Optimizer::sgd);
  EXPECT_EQ(text_of(with("irmv1_unbiased", "true"), "irmv1_unbiased"), "true");
}

TEST(Settings, HaveSummariesForSchemesThatExist) {
  const std::set<std::string_view> schemes = {to_string(train::Scheme::linear),
                                              to_string(train::Scheme::pair), to_string(train::Scheme::own)};
  for (const base::Field& field : train::settings_fields()) {
    for (const auto& [scheme, summary] : field.summaries) {
      EXPECT_TRUE(schemes.contains(scheme)) << field.name << ": " << scheme;
      EXPECT_THAT(summary, Not(IsEmpty())) << field.name;
    }
  }
}

TEST(Settings, MeanWhatTheSchemeMakesOfThem) {
  const base::Field& lr = *find_setting(resolve("cmnist", "pair"), "lr");
  EXPECT_THAT(train::meaning(lr, train::Scheme::pair), HasSubstr("balance_lr_ratio is for the rest"));
  EXPECT_EQ(train::meaning(lr, train::Scheme::own), "learning rate of all steps");
  const base::Field& steps = *find_setting(resolve("cmnist", "pair"), "steps");
  EXPECT_EQ(train::meaning(steps, train::Scheme::pair), steps.summary);
}

TEST(Settings, SayWhatIsExpectedForAnInvalidValue) {
  const auto refusal = [](std::string_view key, std::string_view text, std::string_view sentence) {
    EXPECT_THAT(setting(key, text), ThrowsMessage<std::invalid_argument>(HasSubstr(std::string(sentence))));
  };
  refusal("steps", "0", "steps: expected an integer from 1 to 1000000000, got '0'");
  refusal("steps", "1e3", "steps: expected an integer from 1 to 1000000000, got '1e3'");
  refusal("steps", "", "got ''");
  refusal("steps", "99999999999999999999", "expected an integer from");
  refusal("batch", "2000000", "batch: expected an integer from 0 to 1000000, got '2000000'");
  refusal("seed", "-1", "seed: expected an integer from 0 to 18446744073709551615, got '-1'");
  refusal("lr", "0", "lr: expected a number above 0 and up to 1000, got '0'");
  refusal("lr", "nan", "expected a number above 0");
  refusal("lr", "0.1x", "expected a number above 0");
  refusal("momentum", "1", "expected a number from 0 to below 1");
  refusal("alpha", "1.5", "expected a number from 0 to 1");
  refusal("train_betas", "0.1,", "expected a list of numbers from 0 to 1, separated by commas");
  refusal("preference", "1,0,2", "expected auto, or a list of numbers above 0");
  refusal("preference", "inf", "expected auto, or a list");
  refusal("objectives", "vrex,erm", "expected names separated by commas, erm the first");
  refusal("restart", "maybe", "restart: expected true or false, got 'maybe'");
  refusal("gradients", "psi", "expected w, phi or f");
  refusal("device", "gpu", "expected cpu, cuda or cuda:N");
  refusal("device", "cuda:999", "expected cpu, cuda or cuda:N");
  refusal("penalties", "1,-1", "expected equal, or a list of numbers from 0 to 1e+12");
  refusal("start", "../elsewhere",
          "start: expected none, or names such as cmnist-gray-erm-s0-0123456789abcdef, got '../elsewhere'");
  refusal("start", "runs/there", "expected none, or names such as");
  refusal("start", "", "expected none, or names such as");
  refusal("optimizer", "sdg", "expected sgd or adam");
  refusal("model", "", "expected names of 'pair list models'");
}

// One word on the command line, in settings and in messages.
TEST(Settings, CallTheSolverAsTheCommandLineDoes) {
  RunSpec spec = resolve("cmnist", "pair");
  EXPECT_EQ(text_of(spec, "solver"), "epo");
  EXPECT_THAT(setting("solver", "epso"), ThrowsMessage<std::invalid_argument>(HasSubstr("solver")));
  EXPECT_THAT(setting("balancer", "epo"), ThrowsMessage<std::invalid_argument>(HasSubstr("unknown setting")));
  for (const KnownSetting& known : known_settings()) {
    EXPECT_EQ((known.name + known.summary + known.belongs_to).find("balancer"), std::string::npos)
        << known.name;
  }
}

TEST(Settings, LeaveTheSpecAsItWasWhereAValueIsNotAccepted) {
  const RunSpec before = resolve("cmnist", "pair");
  RunSpec spec = before;
  EXPECT_ANY_THROW(set(spec, "preference", "1,0"));
  EXPECT_ANY_THROW(set(spec, "objectives", "vrex"));
  EXPECT_ANY_THROW(set(spec, "steps", "0"));
  EXPECT_EQ(canonical(spec), canonical(before));
}

// A library user who writes a struct's member by hand meets the same ranges.
TEST(Settings, RangesAreTheTrainers) {
  train::Settings settings;
  settings.momentum = 1.0;
  EXPECT_THAT([&] { train::validate(settings); },
              ThrowsMessage<std::invalid_argument>("momentum: expected a number from 0 to below 1, got '1'"));
}

}  // namespace
}  // namespace pair::runs::settings_test
