#include "pair/runs/run_spec.h"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>

#include "pair/algorithms/registry.h"
#include "pair/data/colored_mnist_spec.h"
#include "pair/data/registry.h"
#include "pair/runs/known_settings.h"
#include "pair/runs/settings.h"
#include "pair/runs/value_json.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing::run_spec_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

// Another value that the setting accepts.
std::string other_value(const std::string& name, const RunSpec& spec) {
  const nlohmann::json value = value_of(spec, name);
  if (value.is_boolean()) {
    return value.get<bool>() ? "false" : "true";
  }
  for (const char* text : {"3",
                           "5",
                           "50",
                           "classification",
                           "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                           "tab",
                           "semicolon",
                           "0.625",
                           "0.005",
                           "0.625,0.5,0.25",
                           "linear",
                           "erm,vrex",
                           "none",
                           "phi",
                           "shift",
                           "cuda:1",
                           "mgda",
                           "gaussian",
                           "adam",
                           "sgd",
                           "skip",
                           "best",
                           "cosine",
                           "pair",
                           "domainbed",
                           "imagenet",
                           "exact",
                           "bf16",
                           "wilds",
                           "B",
                           "id_val,val,test",
                           "features",
                           "preference"}) {
    RunSpec changed = spec;
    try {
      set(changed, name, text);
    } catch (const std::invalid_argument&) {
      continue;
    }
    if (value_of(changed, name) != value) {
      return text;
    }
  }
  return {};
}

// A setting that was added with a new default: specs on disk do not have it.
TEST(RunSpec, OfEarlierVersionsKeepTheValuesThatTheirRunsHad) {
  nlohmann::json written = as_json(resolve("ColoredMNIST", "erm"));
  EXPECT_EQ(written.at("draws"), "domainbed");
  written.erase("draws");
  const RunSpec before = spec_from_json(written);
  EXPECT_EQ(value_of(before, "draws"), "pair");
  EXPECT_THAT(canonical(before), ::testing::Not(::testing::HasSubstr("draws")));
  EXPECT_THAT(canonical(resolve("ColoredMNIST", "erm")), ::testing::HasSubstr("\"draws\":\"domainbed\""));
  // A few settings by hand are those of 'pair train'.
  const RunSpec by_hand = spec_from_text(R"({"dataset": "ColoredMNIST", "algorithm": "erm"})");
  EXPECT_EQ(hash(by_hand), hash(resolve("ColoredMNIST", "erm")));
}

// Runs had names before there was precision.
TEST(RunSpec, CallsThePrecisionByItsOldName) {
  const auto with = [](base::Assignments overrides) { return resolve("cmnist", "erm", overrides); };
  EXPECT_EQ(hash(with({{"precision", "tf32"}})), hash(with({{"tf32", "true"}})));
  EXPECT_EQ(hash(with({{"precision", "fp32"}})), hash(with({})));
  EXPECT_EQ(hash(with({{"model", "mnist_cnn"}, {"precision", "tf32"}, {"half", "true"}})),
            hash(with({{"model", "mnist_cnn"}, {"tf32", "true"}, {"half", "true"}})));
  EXPECT_THAT(canonical(with({{"precision", "tf32"}})),
              AllOf(HasSubstr(R"("tf32":true)"), Not(HasSubstr("precision"))));
  EXPECT_THAT(canonical(with({{"precision", "bf16"}})),
              AllOf(HasSubstr(R"("tf32":false)"), HasSubstr(R"("precision":"bf16")")));
  // A spec of an earlier version.
  nlohmann::json written = as_json(with({{"tf32", "true"}}));
  written.erase("precision");
  EXPECT_EQ(spec_from_json(written).settings.precision, train::Precision::tf32);
  EXPECT_EQ(hash(spec_from_json(written)), hash(with({{"tf32", "true"}})));
}

// Every run had `half` before it became an option of mnist_cnn.
TEST(RunSpec, OfEarlierVersionsMayHaveHalfForAnyModel) {
  const RunSpec today = resolve("cmnist", "erm");
  nlohmann::json written = as_json(today);
  EXPECT_FALSE(written.contains("half"));
  for (const bool half : {false, true}) {
    written["half"] = half;  // without effect on other models
    EXPECT_EQ(hash(spec_from_json(written)), hash(today));
  }
  EXPECT_THAT(
      [] {
        (void)spec_from_json({{"dataset", "cmnist"}, {"algorithm", "erm"}, {"half", true}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("half does not apply to cmnist with erm")))
      << "a spec by hand";
  EXPECT_THAT(
      [] {
        (void)resolve("cmnist", "erm", base::Assignments{{"half", "true"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("half does not apply to cmnist with erm")));

  const RunSpec digits = resolve("ColoredMNIST", "erm", base::Assignments{{"half", "true"}});
  EXPECT_THAT(canonical(digits), HasSubstr(R"("half":true)"));
  EXPECT_EQ(hash(spec_from_json(as_json(digits))), hash(digits));
}

TEST(RunSpec, OfEarlierVersionsHaveTheOmittedValueOfEverySettingThatWasAdded) {
  int added = 0;
  for (const data::DatasetEntry& dataset : data::datasets()) {
    const RunSpec today = resolve(dataset.name, "pair");
    for (const Setting& setting : settings_of(today)) {
      const base::Field& field = *setting.field;
      // A spec without precision has it by its old name, tf32.
      if (field.unsaid.empty() || field.name == "precision") {
        continue;
      }
      nlohmann::json written = as_json(today);
      written.erase(field.name);
      const nlohmann::json value = value_of(spec_from_json(written), field.name);
      EXPECT_EQ(value.is_string() ? value.get<std::string>() : base::as_text(*value_from(value)),
                field.unsaid)
          << dataset.name << ": " << field.name;
      ++added;
    }
  }
  EXPECT_GT(added, 200);
}

// Their runs had other defaults on DomainBed's digits.
TEST(RunSpec, OfAnEarlierVersionHasNoSettingThatWasAddedLater) {
  const base::Assignments before{{"balance_lr_ratio", "0"}, {"hold_at_noise", "false"}};
  nlohmann::json written = as_json(resolve("ColoredMNIST", "pair", before));
  const std::string name = hash(spec_from_json(written));
  written.erase("balance_lr_ratio");
  written.erase("hold_at_noise");
  EXPECT_EQ(hash(spec_from_json(written)), name);
  EXPECT_FALSE(spec_from_json(written).settings.hold_at_noise);
  // One by hand gets today's defaults, unless it has a rate.
  nlohmann::json by_hand{{"dataset", "ColoredMNIST"}, {"algorithm", "pair"}, {"steps", 30}};
  EXPECT_EQ(spec_from_json(by_hand).settings.balance_lr_ratio, 0.05);
  EXPECT_EQ(spec_from_json(by_hand).settings.pretrain, 10);
  by_hand["balance_lr"] = 1e-4;
  EXPECT_EQ(spec_from_json(by_hand).settings.balance_lr_ratio, 0.0);
}

TEST(RunSpec, RefusesTwoPrecisionsThatContradictEachOther) {
  const auto refused = [](const std::string& precision, const std::string& tf32) {
    const std::string expected = "precision: expected the same as tf32, its older name, which is " + tf32 +
                                 ", got '" + precision + "'";
    EXPECT_THAT(
        [&] {
          (void)resolve("cmnist", "erm", base::Assignments{{"precision", precision}, {"tf32", tf32}});
        },
        ThrowsMessage<std::invalid_argument>(expected));
    nlohmann::json written = as_json(resolve("cmnist", "erm"));
    written["precision"] = precision;
    written["tf32"] = tf32 == "true";
    EXPECT_THAT([&] { (void)spec_from_json(written); }, ThrowsMessage<std::invalid_argument>(expected));
  };
  refused("fp32", "true");
  refused("bf16", "true");
  refused("tf32", "false");
  EXPECT_NO_THROW(
      (void)resolve("cmnist", "erm", base::Assignments{{"precision", "bf16"}, {"tf32", "false"}}));
  EXPECT_THAT(
      [] {
        (void)resolve("cmnist", "erm", base::Assignments{{"precision", "fp16"}});
      },
      ThrowsMessage<std::invalid_argument>("precision: expected fp32, tf32 or bf16, got 'fp16'"));
}

TEST(RunSpec, HasTheDigestOfItsWeightsInItsNameAndNotTheirPath) {
  const std::string digest(64, 'a');
  const base::Assignments set = {{"weights", "/a/w.pth"}, {"weights_sha256", digest}};
  const RunSpec spec = resolve("cmnist", "erm", set);
  RunSpec moved = spec;
  moved.weights = "/b/w.pth";
  EXPECT_EQ(hash(moved), hash(spec));
  EXPECT_NE(hash(resolve("cmnist", "erm")), hash(spec));
  EXPECT_EQ(spec_from_json(as_json(spec)).weights, "/a/w.pth");
  EXPECT_THROW((void)resolve("cmnist", "erm", base::Assignments{{"weights_sha256", "abc"}}),
               std::invalid_argument);
}

TEST(RunSpec, EverySettingSurvivesTheWayThroughJson) {
  for (const KnownSetting& known : known_settings()) {
    if (known.name == "scheme") {
      continue;  // the algorithm's; below
    }
    RunSpec spec = spec_with(known.name);
    const std::string text = other_value(known.name, spec);
    ASSERT_FALSE(text.empty()) << known.name;
    set(spec, known.name, text);
    const RunSpec back = spec_from_text(as_json(spec).dump());
    EXPECT_EQ(as_json(back), as_json(spec)) << known.name;
    EXPECT_EQ(hash(back), hash(spec)) << known.name;
    EXPECT_EQ(text_of(back, known.name), text) << known.name;
  }
}

TEST(RunSpec, EverySettingButHowTheWorkIsDoneDecidesTheHash) {
  for (const KnownSetting& known : known_settings()) {
    const RunSpec spec = spec_with(known.name);
    RunSpec changed = spec;
    set(changed, known.name, other_value(known.name, spec));
    if (known.name == "checkpoint_every" || known.name == "keep_checkpoints" || known.name == "workers" ||
        known.name == "weights") {
      EXPECT_EQ(hash(changed), hash(spec));
    } else {
      EXPECT_NE(hash(changed), hash(spec)) << known.name;
    }
  }
}

TEST(RunSpec, EveryAlgorithmsSurvivesTheWayThroughJson) {
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    const RunSpec spec = small_spec(algorithm.name);
    EXPECT_EQ(as_json(spec_from_text(as_json(spec).dump())), as_json(spec)) << algorithm.name;
  }
}

// "own" is for those that have one, and for them alone.
TEST(RunSpec, AnAlgorithmHasItsOwnUpdateOrNone) {
  RunSpec erm = small_spec("erm");
  EXPECT_THAT(
      [&] { set(erm, "scheme", "own"); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("scheme: expected linear or pair for erm, got 'own'")));
  RunSpec dann = small_spec("dann");
  EXPECT_THAT([&] { set(dann, "scheme", "linear"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("scheme: expected own for dann")));
}

TEST(RunSpec, MinibatchesBringDefaultsOfTheirOwn) {
  const auto with = [](const char* algorithm, base::Assignments overrides) {
    return resolve("cmnist", algorithm, overrides).settings;
  };
  EXPECT_EQ(with("pair", {}).solver, "epo");
  EXPECT_EQ(with("pair", {{"batch", "0"}}).solver, "epo");
  const train::Settings pair = with("pair", {{"batch", "64"}});
  EXPECT_EQ(pair.solver, "chebyshev_smooth");
  EXPECT_EQ(pair.track, 10.0);
  EXPECT_EQ(pair.steps, 1500);
  EXPECT_EQ(pair.pretrain, 1000);
  EXPECT_EQ(with("pair", {{"batch", "64"}, {"solver", "epo"}}).solver, "epo");
  EXPECT_EQ(with("pair", {{"batch", "64"}, {"steps", "300"}}).pretrain, 200);
  EXPECT_EQ(with("pair", {{"batch", "64"}, {"steps", "300"}, {"pretrain", "50"}}).pretrain, 50);
  EXPECT_EQ(with("irmx", {{"batch", "64"}}).penalties, (std::vector<double>{100, 1e4}));
  EXPECT_TRUE(with("irmx", {{"batch", "64"}, {"penalty", "10"}}).penalties.empty());
  EXPECT_EQ(resolve("cmnist-m", "irmv1", base::Assignments{{"batch", "64"}}).settings.pretrain, 1000);
}

TEST(RunSpec, MinibatchesBringTheSameDefaultsToASpecInAFile) {
  for (const base::Assignments& overrides : {base::Assignments{{"batch", "64"}},
                                             {{"batch", "64"}, {"steps", "300"}},
                                             {{"batch", "64"}, {"steps", "300"}, {"pretrain", "50"}}}) {
    nlohmann::json json{{"dataset", "cmnist"}, {"algorithm", "pair"}};
    for (const auto& [name, value] : overrides) {
      json[name] = std::stoi(value);
    }
    EXPECT_EQ(canonical(spec_from_json(json)), canonical(resolve("cmnist", "pair", overrides)));
  }
  const RunSpec irmx =
      spec_from_json({{"dataset", "cmnist"}, {"algorithm", "irmx"}, {"batch", 64}, {"penalty", 10}});
  EXPECT_TRUE(irmx.settings.penalties.empty());
}

// A change of this value gives every run on every disk another name, so that none is found again.
TEST(RunSpec, TheHashIsTheSameTomorrow) {
  const RunSpec spec = spec_from_text(
      R"({"algorithm":"pair","alpha":0.25,"backtrack":true,"balance_lr":0.4,"solver":"epo","batch":0
,"checkpoint_every":50,"dataset":"cmnist","decay":"none"
,"depth":2,"device":"cpu","epsilon":0.1,"eval_every":50
,"freeze_featurizer":false,"gradients":"w","hparams_seed":0
,"irmv1_constant":0.01,"irmv1_negative":"scale","irmv1_unbiased":false,"l2":0.001,"lr":0.001
,"model":"mlp","momentum":0.9,"objectives":["erm","irmv1","vrex"],"penalty":1.0
,"preference":[1.0,10000000000.0,1000000000000.0],"pretrain":150,"refresh":false,"restart":true
,"scheme":"pair","seed":7,"steps":501,"test_betas":[0.9,0.1,0.5],"test_digits":10000
,"tf32":false,"threads":1,"train_betas":[0.1,0.2],"train_digits":50000,"width":256})");
  EXPECT_EQ(hash(spec), "8f51237ff625b8ba");
}

// These runs were named when epsilon was a setting of every run, and no option of a solver could be set.
TEST(RunSpec, OptionsOfSolversGiveNoRunAnotherName) {
  const auto name = [](const char* solver) {
    return hash(resolve("cmnist", "pair",
                        base::Assignments{{"solver", solver},
                                          {"steps", "1"},
                                          {"pretrain", "0"},
                                          {"train_digits", "600"},
                                          {"test_digits", "200"}}));
  };
  EXPECT_EQ(name("epo"), "7ea756aa27ec1ec3");
  EXPECT_EQ(name("epo_smooth"), "89761178fd2d97b6");
  EXPECT_EQ(name("mgda"), "aabcd7aa7c1bd44e");
  EXPECT_EQ(name("cagrad"), "33bda5f1d0f49ae0");
  EXPECT_EQ(name("pmtl"), "55fee1cd41772ee1");
}

TEST(RunSpec, OfARunWhoseSolverHasNoEpsilonMayHoldOneFromBefore) {
  const RunSpec spec =
      spec_from_text(R"({"dataset": "cmnist", "algorithm": "pair", "solver": "mgda", "epsilon": 0.1})");
  EXPECT_EQ(spec.settings.solver, "mgda");
  EXPECT_FALSE(as_json(spec).contains("epsilon"));
  EXPECT_THROW(
      (void)spec_from_text(R"({"dataset": "cmnist", "algorithm": "pair", "solver": "mgda", "radius": 0.1})"),
      std::invalid_argument);
}

TEST(RunSpec, HoldsTheOptionsOfItsSolver) {
  const RunSpec spec = resolve(
      "cmnist", "pair", base::Assignments{{"smoothing", "2"}, {"epsilon", "0.2"}, {"solver", "epo_smooth"}});
  EXPECT_EQ(as_json(spec).at("smoothing"), 2.0);
  EXPECT_EQ(as_json(spec).at("epsilon"), 0.2);
  EXPECT_EQ(canonical(spec_from_json(as_json(spec))), canonical(spec));
  EXPECT_NE(hash(spec),
            hash(resolve("cmnist", "pair", base::Assignments{{"epsilon", "0.2"}, {"solver", "epo_smooth"}})));
}

TEST(RunSpec, TheHashNamesARun) {
  EXPECT_EQ(hash(resolve("cmnist", "pair")), hash(resolve("cmnist", "pair")));
  EXPECT_THAT(hash(resolve("cmnist", "pair")), ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(hash(resolve("cmnist-25", "pair")), hash(resolve("cmnist", "pair"))) << "one dataset, two names";
  EXPECT_NE(hash(resolve("cmnist-m", "pair")), hash(resolve("cmnist", "pair")));
  EXPECT_NE(hash(resolve("cmnist", "irmx")), hash(resolve("cmnist", "pair")));
}

TEST(RunSpec, TheNumberOfTheCudaDeviceDoesNotDecideTheRecords) {
  RunSpec first = small_spec();
  first.device = "cuda";
  RunSpec second = small_spec();
  second.device = "cuda:3";
  EXPECT_EQ(hash(first), hash(second));
  EXPECT_NE(hash(first), hash(small_spec()));
}

TEST(RunSpec, TheCanonicalFormIsSortedPlainAndExact) {
  RunSpec spec = small_spec();
  spec.settings.lr = 0.1 + 0.2;
  spec.seed = UINT64_MAX;
  const std::string form = canonical(spec);
  EXPECT_THAT(form, HasSubstr("\"lr\":0.30000000000000004"));
  EXPECT_THAT(form, HasSubstr("\"seed\":18446744073709551615"));
  EXPECT_THAT(form, Not(HasSubstr("checkpoint")));
  EXPECT_LT(form.find("\"algorithm\""), form.find("\"dataset\""));
  const RunSpec back = spec_from_text(as_json(spec).dump());
  EXPECT_EQ(back.settings.lr, spec.settings.lr);
  EXPECT_EQ(back.seed, spec.seed);
}

TEST(RunSpec, WhatTextLeavesOutIsAsTheAlgorithmHasIt) {
  const RunSpec spec = spec_from_text(R"({"dataset": "cmnist-m", "algorithm": "irmv1", "lr": 1, "seed": 7})");
  EXPECT_EQ(spec.settings.pretrain, 150);
  EXPECT_EQ(spec.settings.penalty, 1e5);
  EXPECT_EQ(spec.settings.lr, 1.0);
  EXPECT_EQ(spec.seed, 7U);
}

TEST(RunSpec, RefusesTextThatIsNotASpec) {
  const auto reading = [](const char* text) { return [text] { (void)spec_from_text(text); }; };
  EXPECT_THAT(reading("{"), ThrowsMessage<std::invalid_argument>(HasSubstr("expected JSON")));
  EXPECT_THAT(reading("[1]"), ThrowsMessage<std::invalid_argument>(HasSubstr("expected a JSON object")));
  EXPECT_THAT(reading(R"({"algorithm": "pair"})"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("\"dataset\"")));
  EXPECT_THAT(reading(R"({"dataset": "cmnist", "algorithm": 1})"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("\"algorithm\"")));
  EXPECT_THAT(reading(R"({"dataset": "cmnist", "algorithm": "pair", "stepps": 5})"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'steps'?")));
  EXPECT_THAT(
      reading(R"({"dataset": "cmnist", "algorithm": "pair", "steps": "5"})"),
      ThrowsMessage<std::invalid_argument>("steps: expected an integer from 1 to 1000000000, got '5'"));
  EXPECT_THAT(reading(R"({"dataset": "cmnist", "algorithm": "pair", "lr": null})"),
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("lr: expected a number above 0 and up to 1000, got null")));
}

TEST(RunSpec, NamesWhereTwoDiffer) {
  const RunSpec spec = small_spec();
  EXPECT_THAT(difference(spec, spec), IsEmpty());
  RunSpec other = spec;
  other.seed = 3;
  EXPECT_EQ(difference(other, spec), "its seed is 3, here 0");
  other.settings.lr = 0.5;
  EXPECT_EQ(difference(other, spec), "its lr is 0.5, here 0.001; its seed is 3, here 0");
  set(other, "width", "1");
  set(other, "depth", "1");
  other.settings.momentum = 0.5;
  EXPECT_THAT(difference(other, spec), HasSubstr("; and 2 more"));
  other = spec;
  other.checkpoint_every = 1;
  EXPECT_THAT(difference(other, spec), IsEmpty());
  // Whichever of the two leaves it unsaid.
  other = spec;
  other.start = "another";
  EXPECT_EQ(difference(other, spec), "its start is \"another\", here \"none\"");
  EXPECT_EQ(difference(spec, other), "its start is \"none\", here \"another\"");
}

TEST(RunSpec, FilesDifferInContentIfBothHaveADigest) {
  RunSpec first = small_spec();
  RunSpec second = first;
  set(first, "weights_sha256", std::string(64, 'a'));
  EXPECT_THAT(difference(first, second),
              AllOf(HasSubstr("its weights_sha256 is \"aaa"), EndsWith("here \"none\"")));
  set(second, "weights_sha256", std::string(64, 'b'));
  EXPECT_THAT(difference(first, second), EndsWith("bbb\" (the file's content differs)"));
}

TEST(Resolve, SuggestsTheNearName) {
  EXPECT_THAT([] { (void)resolve("cmnst", "pair"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'cmnist'?")));
  EXPECT_THAT([] { (void)resolve("cmnist", "irmv2"); },
              ThrowsMessage<std::invalid_argument>(AllOf(
                  HasSubstr("unknown algorithm 'irmv2'; did you mean 'irmv1'?"), HasSubstr("groupdro"))));
}

TEST(Resolve, SuggestsSettingsByTheirNamesAndThenByTheirSummaries) {
  const auto suggests = [](const char* name, auto sentence) {
    const std::array overrides = {base::Assignment{name, "1"}};
    EXPECT_THAT([&] { (void)resolve("cmnist", "pair", overrides); },
                ThrowsMessage<std::invalid_argument>(sentence));
  };
  suggests("learning_rate",
           HasSubstr("unknown setting 'learning_rate'; did you mean 'lr': learning rate of all steps"));
  suggests("learning-rate", HasSubstr("did you mean 'lr': learning rate of"));
  suggests("step", HasSubstr("unknown setting 'step'; did you mean 'steps'?"));
  for (const char* const name : {"hidden", "weight"}) {
    suggests(name, Not(HasSubstr("': ")));
  }
}

TEST(Resolve, OtherObjectivesGetAPreferenceOfTheirOwn) {
  const std::array four = {base::Assignment{"objectives", "erm,irmv1,vrex,fishr"}};
  EXPECT_THAT(resolve("cmnist", "pair", four).settings.preference, IsEmpty());
  const std::array three = {base::Assignment{"objectives", "erm,vrex,irmv1"}};
  EXPECT_THAT(resolve("cmnist", "pair", three).settings.preference, ElementsAre(1, 1e10, 1e12));
  const std::array given = {base::Assignment{"preference", "1,2,3"},
                            base::Assignment{"objectives", "erm,irmv1,vrex,fishr"}};
  EXPECT_THAT(resolve("cmnist", "pair", given).settings.preference, ElementsAre(1, 2, 3))
      << "a wrong one that was given is left for validation to refuse";
}

TEST(OwnObjectives, AreWhatAnAlgorithmsNamePromises) {
  const auto check = [](const char* algorithm, base::Assignments overrides) {
    check_own_objectives(resolve("cmnist", algorithm, overrides));
  };
  EXPECT_THAT(
      [&] {
        check("erm", {{"objectives", "erm,vrex"}});
      },
      ThrowsMessage<std::invalid_argument>(
          "objectives: expected 'erm' for algorithm erm, got 'erm,vrex'; --algorithm pair takes any "
          "objectives, and an objective whose penalty is 0 is only recorded"));
  EXPECT_ANY_THROW(check("irmv1", {{"objectives", "erm,vrex"}}));
  EXPECT_NO_THROW(check("erm", {{"objectives", "erm,vrex"}, {"penalties", "0"}}));
  EXPECT_NO_THROW(check("irmx", {{"objectives", "erm,vrex,irmv1"}}));
  EXPECT_NO_THROW(check("pair", {{"objectives", "erm,fishr"}}));
  EXPECT_NO_THROW(check("pair", {{"objectives", "erm,fishr"}, {"scheme", "linear"}}));
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    EXPECT_NO_THROW(check(algorithm.name.c_str(), {}));
  }
}

TEST(RunSpec, OfARunWithANameHasAnotherHash) {
  const RunSpec spec = small_spec();
  RunSpec named = spec;
  set(named, "name", "my method");
  EXPECT_EQ(named.name, "my method");
  EXPECT_NE(hash(named), hash(spec));
  EXPECT_EQ(spec_from_json(as_json(named)).name, "my method");
  set(named, "name", "none");
  EXPECT_EQ(hash(named), hash(spec)) << "a name that is not given changes no run's folder";
  EXPECT_THAT([&] { set(named, "name", "two\nlines"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("up to 60 printable characters")));
  EXPECT_ANY_THROW(set(named, "name", std::string(61, 'a')));
}

TEST(RunSpec, OfADatasetThatHoldsNothingOutHasTheHashItHad) {
  const RunSpec spec = small_spec();
  EXPECT_EQ(canonical(spec).find("holdout"), std::string::npos);
  RunSpec holding = spec;
  set(holding, "holdout", "0.2");
  EXPECT_NE(hash(holding), hash(spec));
}

TEST(Resolve, GivesEachAlgorithmAValidSpecOnEachDataset) {
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    for (const data::DatasetEntry& dataset : data::datasets()) {
      const RunSpec spec = resolve(dataset.name, algorithm.name);
      EXPECT_NO_THROW(train::validate(spec.settings)) << algorithm.name << " on " << dataset.name;
      EXPECT_EQ(spec.algorithm, algorithm.name);
      EXPECT_EQ(spec.dataset.name, dataset.name);
    }
  }
}

}  // namespace
}  // namespace pair::runs::testing::run_spec_test
