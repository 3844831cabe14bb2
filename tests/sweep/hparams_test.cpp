#include "pair/sweep/hparams.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/runs/settings.h"

namespace pair::sweep::hparams_test {
namespace {

using ::testing::HasSubstr;

std::optional<Hparam> find(const std::vector<Hparam>& hparams, std::string_view key) {
  const auto found =
      std::find_if(hparams.begin(), hparams.end(), [key](const Hparam& hparam) { return hparam.key == key; });
  return found == hparams.end() ? std::nullopt : std::optional(*found);
}

TEST(Hparams, OfEveryAlgorithmOnEveryDatasetAreAcceptedSettings) {
  for (const data::DatasetEntry& dataset : data::datasets()) {
    for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
      const std::vector<Hparam> hparams = hparams_of(dataset.name, algorithm.name);
      EXPECT_FALSE(hparams.empty());
      std::set<std::string_view> names;
      for (const Hparam& hparam : hparams) {
        EXPECT_TRUE(names.insert(hparam.key).second) << algorithm.name << " has " << hparam.key << " twice";
        EXPECT_FALSE(hparam.source.empty());
      }
      for (std::int64_t seed = 0; seed < 50; ++seed) {
        EXPECT_NO_THROW((void)runs::resolve(dataset.name, algorithm.name, draw_hparams(hparams, seed, 1)))
            << algorithm.name << " on " << dataset.name << ", draw " << seed;
      }
    }
  }
}

TEST(Hparams, SaySomethingToTheirAlgorithm) {
  for (const data::DatasetEntry& dataset : data::datasets()) {
    for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
      const runs::RunSpec spec = runs::resolve(dataset.name, algorithm.name);
      const bool pair = spec.settings.scheme == train::Scheme::pair;
      for (const Hparam& hparam : hparams_of(dataset.name, algorithm.name)) {
        const auto settings = runs::settings_of(spec);
        const auto found = std::find_if(settings.begin(), settings.end(), [&](const runs::Setting& setting) {
          return setting.name() == hparam.key;
        });
        ASSERT_NE(found, settings.end()) << hparam.key;
        EXPECT_NE(found->scheme, pair ? "linear" : "pair") << hparam.key << " of " << algorithm.name;
      }
    }
  }
}

TEST(Hparams, OfDrawZeroAreWhatPairTrainRuns) {
  for (const data::DatasetEntry& dataset : data::datasets()) {
    for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
      const auto defaults = draw_hparams(hparams_of(dataset.name, algorithm.name), 0, 2);
      EXPECT_EQ(runs::hash(runs::resolve(dataset.name, algorithm.name, defaults)),
                runs::hash(runs::resolve(dataset.name, algorithm.name)))
          << algorithm.name << " on " << dataset.name;
    }
  }
}

TEST(Hparams, DependOnBothSeedsAlone) {
  const std::vector<Hparam> hparams = hparams_of("cmnist", "irmv1");
  EXPECT_EQ(draw_hparams(hparams, 3, 1), draw_hparams(hparams, 3, 1));
  EXPECT_NE(draw_hparams(hparams, 3, 1), draw_hparams(hparams, 4, 1));
  EXPECT_NE(draw_hparams(hparams, 3, 1), draw_hparams(hparams, 3, 2));
  // On any machine, in any version: a run's name depends on it.
  const base::Assignments drawn = draw_hparams(hparams, 1, 0);
  EXPECT_EQ(drawn[0], (base::Assignment{"lr", "0.000286339"}));
  EXPECT_EQ(drawn[1], (base::Assignment{"pretrain", "250"}));
  EXPECT_EQ(drawn[2], (base::Assignment{"penalty", "100"}));
}

TEST(Hparams, OfOneKeyDoNotMoveWithTheOthers) {
  const std::vector<Hparam> all = hparams_of("cmnist", "irmv1");
  for (const Hparam& hparam : all) {
    const base::Assignment alone = draw_hparams({hparam}, 5, 1).front();
    EXPECT_THAT(draw_hparams(all, 5, 1), ::testing::Contains(alone));
  }
}

TEST(Hparams, AreThePapersOnColoredMnist) {
  const std::vector<Hparam> irm = hparams_of("cmnist", "irmv1");
  EXPECT_EQ(as_text(find(irm, "pretrain")->distribution), "one of 0, 50, 100, 150, 200, 250");
  EXPECT_EQ(as_text(find(irm, "penalty")->distribution), "one of 10, 100, 1e3, 1e4, 1e5");
  EXPECT_EQ(find(irm, "penalty")->default_value, "1e+05");
  const std::vector<Hparam> pair = hparams_of("cmnist", "pair");
  EXPECT_EQ(as_text(find(pair, "balance_lr")->distribution), "one of 0.01, 0.1");
  EXPECT_FALSE(find(pair, "penalty"));
  EXPECT_FALSE(find(hparams_of("cmnist", "erm"), "pretrain"));
}

// Appendix F.1: "{0,50,100,150,200,250}", "{1e1,1e2,1e3,1e4,1e5}", Adam "with a learning rate of 1e-3".
TEST(Hparams, OfThePapersSearchOnColoredMnistAreThoseOfAppendixF1) {
  for (const char* algorithm : {"irmv1", "vrex", "irmx", "iga", "clove", "fishr", "ib-erm", "sd"}) {
    const std::vector<Hparam> hparams = hparams_of("cmnist", algorithm, Search::paper);
    EXPECT_FALSE(find(hparams, "lr")) << algorithm;
    EXPECT_EQ(as_text(find(hparams, "pretrain")->distribution), "one of 0, 50, 100, 150, 200, 250")
        << algorithm;
    EXPECT_EQ(as_text(find(hparams, "penalty")->distribution), "one of 10, 100, 1e3, 1e4, 1e5") << algorithm;
  }
  EXPECT_EQ(as_text(find(hparams_of("cmnist", "sd"), "penalty")->distribution), "10^Uniform(-5, -1)");
  EXPECT_THAT(hparams_of("cmnist", "erm", Search::paper), ::testing::IsEmpty());
}

TEST(Hparams, TakeTheLearningRateOfTheProgramOrOfThePapersTable) {
  const auto rate = [](Search search) {
    return as_text(find(hparams_of("ColoredMNIST", "erm", search), "lr")->distribution);
  };
  EXPECT_EQ(rate(Search::domainbed), "10^Uniform(-4.5, -2.5)");
  EXPECT_EQ(rate(Search::paper), "10^Uniform(-4.5, -3.5)");
}

// domainbed/hparams_registry.py, for its small images.
TEST(Hparams, AreDomainBedsWhereItsTestEnvironmentsCanBeChosen) {
  const auto of = [](const char* algorithm) { return domainbed_hparams(runs::resolve("cmnist", algorithm)); };
  const std::vector<Hparam> fishr = of("fishr");
  EXPECT_EQ(as_text(find(fishr, "lr")->distribution), "10^Uniform(-4.5, -2.5)");
  EXPECT_EQ(as_text(find(fishr, "batch")->distribution), "whole part of 2^Uniform(3, 9)");
  EXPECT_EQ(as_text(find(fishr, "penalty")->distribution), "10^Uniform(1, 4)");
  EXPECT_EQ(as_text(find(fishr, "pretrain")->distribution), "whole part of Uniform(0, 5000)");
  EXPECT_EQ(as_text(find(fishr, "fishr_ema")->distribution), "Uniform(0.9, 0.99)");
  const std::vector<Hparam> irm = of("irmv1");
  EXPECT_EQ(as_text(find(irm, "penalty")->distribution), "10^Uniform(-1, 5)");
  EXPECT_EQ(as_text(find(irm, "pretrain")->distribution), "whole part of 10^Uniform(0, 4)");
  EXPECT_EQ(as_text(find(of("iga"), "penalty")->distribution), "10^Uniform(1, 5)");
  EXPECT_EQ(as_text(find(of("sd"), "penalty")->distribution), "10^Uniform(-5, -1)");
  EXPECT_EQ(as_text(find(of("groupdro"), "groupdro_rate")->distribution), "10^Uniform(-3, -1)");
  EXPECT_EQ(of("erm").size(), 2U);
  for (const data::DatasetEntry& dataset : data::datasets()) {
    const bool as_domainbed = dataset.protocol == "domainbed";
    EXPECT_EQ(find(hparams_of(dataset.name, "erm"), "batch").has_value(), as_domainbed) << dataset.name;
  }
}

// An entry of domainbed/hparams_registry.py for ColoredMNIST, under our key.
struct Registered {
  std::string_view algorithm;
  std::string_view key;
  double default_value;
  std::string_view distribution;
};

// The algorithms of the table below. One that DomainBed does not have needs no place here.
constexpr std::array compared = {"erm",   "irmv1", "vrex",   "fishr",  "groupdro", "coral", "mmd",
                                 "sd",    "iga",   "ib-erm", "ib-irm", "irmx",     "clove", "dann",
                                 "cdann", "mixup", "fish",   "lisa",   "pair"};

// Theirs, but for lr and batch, which all draw alike. DomainBed's names: lambda, irm_lambda,
// vrex_lambda, mmd_gamma, sd_reg and ib_lambda are our penalty, *_penalty_anneal_iters our pretrain, lr_g our
// lr.
constexpr std::array registry = {
    Registered{"irmv1", "penalty", 1e2, "10^Uniform(-1, 5)"},
    Registered{"irmv1", "pretrain", 500, "whole part of 10^Uniform(0, 4)"},
    Registered{"vrex", "penalty", 1e1, "10^Uniform(-1, 5)"},
    Registered{"vrex", "pretrain", 500, "whole part of 10^Uniform(0, 4)"},
    Registered{"fishr", "penalty", 1000, "10^Uniform(1, 4)"},
    Registered{"fishr", "pretrain", 1500, "whole part of Uniform(0, 5000)"},
    Registered{"fishr", "fishr_ema", 0.95, "Uniform(0.9, 0.99)"},
    Registered{"groupdro", "groupdro_rate", 1e-2, "10^Uniform(-3, -1)"},
    Registered{"coral", "penalty", 1, "10^Uniform(-1, 1)"},
    Registered{"mmd", "penalty", 1, "10^Uniform(-1, 1)"},
    Registered{"mixup", "mixup_alpha", 0.2, "10^Uniform(-1, 1)"},
    Registered{"fish", "meta_lr", 0.5, "one of 0.05, 0.1, 0.5"},
    Registered{"sd", "penalty", 0.1, "10^Uniform(-5, -1)"},
    Registered{"iga", "penalty", 1000, "10^Uniform(1, 5)"},
    Registered{"ib-erm", "penalty", 1e2, "10^Uniform(-1, 5)"},
    Registered{"ib-erm", "pretrain", 500, "whole part of 10^Uniform(0, 4)"},
    Registered{"ib-irm", "penalties", 0, "10^Uniform(-1, 5) and 10^Uniform(-1, 5)"},
    Registered{"ib-irm", "pretrain", 500, "whole part of 10^Uniform(0, 4)"},
    Registered{"dann", "penalty", 1, "10^Uniform(-2, 2)"},
    Registered{"dann", "lr_d", 1e-3, "10^Uniform(-4.5, -2.5)"},
    Registered{"dann", "weight_decay_d", 0, "10^Uniform(-6, -2)"},
    Registered{"dann", "d_steps_per_g_step", 1, "whole part of 2^Uniform(0, 3)"},
    Registered{"dann", "grad_penalty", 0, "10^Uniform(-2, 1)"},
    Registered{"dann", "beta1", 0.5, "one of 0, 0.5"},
    Registered{"dann", "mlp_width", 256, "whole part of 2^Uniform(6, 10)"},
    Registered{"dann", "mlp_depth", 3, "one of 3, 4, 5"},
    Registered{"dann", "mlp_dropout", 0, "one of 0, 0.1, 0.5"},
    // Not DomainBed's: as its IRM, PAIR-o without a penalty.
    Registered{"irmx", "penalty", 1e2, "10^Uniform(-1, 5)"},
    Registered{"irmx", "pretrain", 500, "whole part of 10^Uniform(0, 4)"},
    Registered{"clove", "penalty", 1e2, "10^Uniform(-1, 5)"},
    Registered{"clove", "pretrain", 500, "whole part of 10^Uniform(0, 4)"},
    Registered{"lisa", "lisa_same_label", 0.5, "one of 0, 0.5, 1"},
    Registered{"lisa", "lisa_alpha", 2, "one of 0.5, 2"},
};

TEST(Hparams, OnColoredMnistAreThoseOfDomainBedsRegistry) {
  for (const char* const algorithm : compared) {
    // cdann has dann's.
    const std::string_view name = std::string_view(algorithm) == "cdann" ? "dann" : algorithm;
    std::vector<Registered> expected = {{name, "lr", 1e-3, "10^Uniform(-4.5, -2.5)"},
                                        {name, "batch", 64, "whole part of 2^Uniform(3, 9)"}};
    std::copy_if(registry.begin(), registry.end(), std::back_inserter(expected),
                 [name](const Registered& entry) { return entry.algorithm == name; });
    const std::vector<Hparam> hparams = hparams_of("ColoredMNIST", algorithm);
    EXPECT_EQ(hparams.size(), expected.size()) << algorithm;
    for (const Registered& entry : expected) {
      const std::optional<Hparam> hparam = find(hparams, entry.key);
      ASSERT_TRUE(hparam) << algorithm << " has no " << entry.key;
      EXPECT_EQ(as_text(hparam->distribution), entry.distribution) << algorithm << " " << entry.key;
      if (entry.key == "penalties") {
        // One penalty for both until it is drawn.
        EXPECT_EQ(hparam->default_value, "equal");
        EXPECT_EQ(runs::resolve("ColoredMNIST", algorithm).settings.penalty, 1e2);
      } else {
        EXPECT_EQ(std::stod(hparam->default_value), entry.default_value) << algorithm << " " << entry.key;
      }
    }
  }
}

TEST(Hparams, SayWhereANumberMeansSomethingElseInDomainBed) {
  const auto source = [](const char* algorithm, const char* key) {
    return std::string(find(hparams_of("ColoredMNIST", algorithm), key)->source);
  };
  EXPECT_THAT(source("vrex", "penalty"), HasSubstr("twice with 2"));
  EXPECT_THAT(source("iga", "penalty"), HasSubstr("half with 2"));
  EXPECT_THAT(source("ib-irm", "pretrain"), HasSubstr("ib_penalty_anneal_iters is another draw"));
  EXPECT_EQ(source("irmv1", "penalty"), "DomainBed");
}

TEST(Hparams, OfIbIrmHaveAWeightForEachPenalty) {
  const std::vector<Hparam> hparams = hparams_of("ColoredMNIST", "ib-irm");
  std::set<double> ratios;
  for (std::int64_t draw = 1; draw < 10; ++draw) {
    const runs::RunSpec spec = runs::resolve("ColoredMNIST", "ib-irm", draw_hparams(hparams, draw, 0));
    ASSERT_EQ(spec.settings.penalties.size(), 2U);
    ratios.insert(spec.settings.penalties[0] / spec.settings.penalties[1]);
  }
  EXPECT_EQ(ratios.size(), 9U);
  EXPECT_TRUE(
      runs::resolve("ColoredMNIST", "ib-irm", draw_hparams(hparams, 0, 0)).settings.penalties.empty());
}

TEST(Hparams, GivePairsLaterStepsARateOfTheirOwnWhereAdamTakesThem) {
  const std::optional<Hparam> rate = find(hparams_of("extrapolation-uniform", "pair"), "balance_lr");
  ASSERT_TRUE(rate);
  EXPECT_EQ(as_text(rate->distribution), "10^Uniform(-4.5, -2.5)");
}

// On DomainBed's digits, the rate of PAIR-o's later steps follows lr, and the length of its pretraining is a share
// of the steps. Other datasets draw both.
TEST(Hparams, OfPairOnDomainBedsDigitsFollowLrAndTheSteps) {
  for (const char* const dataset : {"ColoredMNIST", "RotatedMNIST"}) {
    const std::vector<Hparam> digits = hparams_of(dataset, "pair");
    EXPECT_FALSE(find(digits, "balance_lr"));
    EXPECT_FALSE(find(digits, "pretrain"));
    const train::Settings settings = runs::resolve(dataset, "pair").settings;
    EXPECT_EQ(settings.pretrain, 1667);
    EXPECT_EQ(settings.balance_lr_ratio, 0.05);
    EXPECT_TRUE(settings.hold_at_noise);
    EXPECT_EQ(settings.track, 10);
    const auto with = [dataset](const char* name, const char* value) {
      return runs::resolve(dataset, "pair", base::Assignments{{name, value}}).settings;
    };
    EXPECT_EQ(with("steps", "300").pretrain, 100);
    EXPECT_EQ(with("steps", "300").balance_lr_ratio, 0.05);
    EXPECT_EQ(with("balance_lr", "1e-4").balance_lr_ratio, 0.0) << "a rate that is given decides";
    EXPECT_EQ(with("balance_lr_ratio", "0.1").balance_lr_ratio, 0.1);
  }
  const std::vector<Hparam> images = hparams_of("PACS", "pair");
  EXPECT_TRUE(find(images, "balance_lr"));
  EXPECT_EQ(as_text(find(images, "pretrain")->distribution), "whole part of 10^Uniform(0, 4)");
  // The algorithms of DomainBed's registry are not changed.
  EXPECT_EQ(as_text(find(hparams_of("ColoredMNIST", "irmv1"), "pretrain")->distribution),
            "whole part of 10^Uniform(0, 4)");
}

TEST(Hparams, OfAnUnknownNameAreRefused) {
  EXPECT_THROW((void)hparams_of("cmnist", "irmv"), std::invalid_argument);
  EXPECT_THROW((void)hparams_of("cmnst", "irmv1"), std::invalid_argument);
  try {
    (void)search_named("papr");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'paper'"));
  }
}

}  // namespace
}  // namespace pair::sweep::hparams_test
