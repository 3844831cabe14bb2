// Every algorithm on DomainBed's datasets, on few and small digits.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pair/algorithms/registry.h"
#include "pair/data/domainbed_mnist_spec.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/settings.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/small_digits.h"

namespace pair::runs::testing::domainbed_run_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

base::Assignments small(const Scratch& scratch) {
  return {{"folder", (scratch / "digits").string()},
          {"digits", "60"},
          {"steps", "6"},
          {"batch", "4"},
          {"eval_every", "3"},
          {"checkpoint_every", "2"}};
}

RunSpec spec_of(const Scratch& scratch, std::string_view algorithm,
                std::string_view dataset = "ColoredMNIST") {
  RunSpec spec = resolve(dataset, algorithm, small(scratch));
  if (spec.settings.pretrain > 0) {
    spec.settings.pretrain = 2;
  }
  return spec;
}

// The losses in an algorithm's records: with an update of its own those that it declares, otherwise the sum
// that it minimises.
std::vector<std::string> losses_of(const algorithms::AlgorithmEntry& algorithm) {
  const bool declared = algorithm.update.defined() && !algorithm.losses.empty();
  return declared ? algorithm.losses.front() : std::vector<std::string>{"loss"};
}

TEST(DomainBedRun, HasDomainBedsDefaults) {
  const auto settings = [](std::string_view algorithm) {
    return resolve("ColoredMNIST", algorithm).settings;
  };
  const RunSpec erm = resolve("ColoredMNIST", "erm");
  EXPECT_EQ(erm.eval_every, 100);
  EXPECT_EQ(erm.settings.steps, 5001);
  EXPECT_EQ(erm.settings.batch, 64);
  EXPECT_EQ(erm.settings.lr, 1e-3);
  EXPECT_EQ(erm.settings.l2, 0.0);
  EXPECT_EQ(erm.settings.model, "mnist_cnn");
  EXPECT_EQ(settings("irmv1").penalty, 100.0);
  EXPECT_EQ(settings("irmv1").pretrain, 500);
  EXPECT_TRUE(settings("irmv1").refresh);
  EXPECT_EQ(settings("vrex").penalty, 10.0);
  EXPECT_EQ(settings("fishr").pretrain, 1500);
  EXPECT_EQ(settings("fishr").pretrain_penalty, 0.0);
  EXPECT_EQ(text_of(resolve("ColoredMNIST", "fishr"), "fishr_mean"), "true");
  EXPECT_EQ(settings("dann").penalty, 1.0);
  EXPECT_EQ(text_of(resolve("ColoredMNIST", "dann"), "beta1"), "0.5");
}

TEST(DomainBedRun, EveryAlgorithmTrainsAndRecordsDomainBedsKeys) {
  const Scratch scratch;
  write_small_digits(scratch / "digits");
  DatasetCache datasets;
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    SCOPED_TRACE(algorithm.name);
    const RunResult result = run(spec_of(scratch, algorithm.name), scratch / algorithm.name, datasets);
    ASSERT_EQ(result.records.size(), 3U);
    const nlohmann::json& last = result.records.back();
    EXPECT_EQ(last.at("step"), 6);
    EXPECT_EQ(last.at("args").at("dataset"), "ColoredMNIST");
    EXPECT_EQ(last.at("args").at("test_envs"), nlohmann::json({2}));
    for (const char* key :
         {"env0_in_acc", "env0_out_acc", "env1_in_acc", "env1_out_acc", "env2_in_acc", "env2_out_acc"}) {
      EXPECT_GE(last.at(key).get<double>(), 0.0) << key;
      EXPECT_LE(last.at(key).get<double>(), 1.0) << key;
    }
    EXPECT_EQ(last.at("worst_test_acc"), last.at("env2_in_acc"));
    const std::vector<std::string> losses = losses_of(algorithm);
    for (const std::string& key : losses) {
      ASSERT_TRUE(last.contains(key)) << key;
      EXPECT_TRUE(last.at(key).is_number()) << key;
    }
    EXPECT_EQ(last.contains("loss"), std::count(losses.begin(), losses.end(), "loss") == 1);
    const bool adversarial = std::count(losses.begin(), losses.end(), "gen_loss") == 1;
    for (const char* key : {"gen_loss", "disc_loss"}) {
      EXPECT_EQ(last.contains(key), adversarial) << key;
    }
    if (algorithm.name == "dann" || algorithm.name == "cdann") {
      EXPECT_TRUE(adversarial);
    }
  }
}

// As half of the jobs of leave-one-domain-out do.
TEST(DomainBedRun, EveryAlgorithmTrainsOnOneDomain) {
  const Scratch scratch;
  write_small_digits(scratch / "digits");
  DatasetCache datasets;
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    SCOPED_TRACE(algorithm.name);
    RunSpec spec = spec_of(scratch, algorithm.name);
    spec.dataset.options.as<data::DomainBedMnistSpec>().test_envs = {0, 1};
    const RunResult result = run(spec, scratch / algorithm.name, datasets);
    for (const std::string& key : losses_of(algorithm)) {
      EXPECT_TRUE(result.records.back().at(key).is_number()) << key;
    }
  }
}

TEST(DomainBedRun, RecordsAfterTheUpdatesThatDomainBedRecordsAfter) {
  const Scratch scratch;
  write_small_digits(scratch / "digits");
  DatasetCache datasets;
  RunSpec spec = resolve("ColoredMNIST", "erm");
  EXPECT_EQ(spec.eval_every, 100);
  EXPECT_EQ(spec.settings.steps, 5001);
  const std::int64_t first = spec.eval_first;
  spec = spec_of(scratch, "erm");
  spec.eval_first = first;
  spec.eval_every = 3;
  spec.settings.steps = 7;
  std::vector<std::int64_t> steps;
  for (const nlohmann::json& record : run(spec, scratch / "run", datasets).records) {
    steps.push_back(record.at("step"));
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 4, 7})) << "one update is DomainBed's step 0";
}

TEST(DomainBedRun, TakesItsTestEnvironmentsOut) {
  const Scratch scratch;
  write_small_digits(scratch / "digits");
  DatasetCache datasets;
  RunSpec spec = spec_of(scratch, "erm", "RotatedMNIST");
  spec.dataset.options.as<data::DomainBedMnistSpec>().test_envs = {0, 3};
  const nlohmann::json last = run(spec, scratch / "run", datasets).records.back();
  EXPECT_EQ(last.at("args").at("test_envs"), nlohmann::json({0, 3}));
  EXPECT_EQ(last.at("worst_test_acc"),
            std::min(last.at("env0_in_acc").get<double>(), last.at("env3_in_acc").get<double>()));
  EXPECT_TRUE(last.contains("env5_out_acc"));
}

TEST(DomainBedRun, LearnsTheDigits) {
  const Scratch scratch;
  write_small_digits(scratch / "digits", 900, 300);
  DatasetCache datasets;
  const RunSpec spec = resolve("RotatedMNIST", "erm",
                               base::Assignments{{"folder", (scratch / "digits").string()},
                                                 {"digits", "1200"},
                                                 {"steps", "60"},
                                                 {"batch", "16"},
                                                 {"eval_every", "60"},
                                                 {"test_envs", "1"}});
  EXPECT_GT(run(spec, scratch / "run", datasets).records.back().at("env0_out_acc").get<double>(), 0.6);
}

TEST(DomainBedRun, ASpecOfAnyAlgorithmIsReadBackAsItWas) {
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    const RunSpec spec = resolve("ColoredMNIST", algorithm.name, base::Assignments{{"test_envs", "0,1"}});
    EXPECT_EQ(canonical(spec_from_text(as_json(spec).dump())), canonical(spec)) << algorithm.name;
  }
  // Also where the scheme is not the one that the name stands for.
  const RunSpec turned =
      resolve("ColoredMNIST", "irmv1", base::Assignments{{"scheme", "pair"}, {"epsilon", "0.2"}});
  EXPECT_EQ(canonical(spec_from_text(as_json(turned).dump())), canonical(turned));
}

TEST(DomainBedRun, SettingsOfOtherAlgorithmsAreRefused) {
  const auto resolving = [](std::string_view algorithm, const char* key, const char* value) {
    return [=] { (void)resolve("ColoredMNIST", algorithm, base::Assignments{{key, value}}); };
  };
  EXPECT_THAT(resolving("erm", "lr_d", "0.1"),
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("lr_d does not apply to ColoredMNIST with erm; it belongs to algorithm dann")));
  EXPECT_THAT(resolving("dann", "mixup_alpha", "0.3"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("it belongs to algorithm mixup")));
  EXPECT_THAT(resolving("erm", "test_envs", "6"),
              ThrowsMessage<std::invalid_argument>(HasSubstr(
                  "test_envs: expected a list of integers from 0 to 5, separated by commas, got '6'")));
  EXPECT_THAT(resolving("erm", "test_envs", "1,x"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("a list of integers")));
  EXPECT_THAT(
      [] {
        (void)resolve("cmnist", "erm", base::Assignments{{"test_envs", "1"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("it belongs to dataset ColoredMNIST")));
}

TEST(DomainBedRun, PairWeighsNoNegativeEstimates) {
  const Scratch scratch;
  RunSpec spec = spec_of(scratch, "pair");
  set(spec, "irmv1_unbiased", "true");
  set(spec, "irmv1_negative", "keep");
  EXPECT_THAT([&] { validate(spec); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(
                  "irmv1_negative: expected shift or scale, since PAIR-o's solver needs losses that "
                  "are not negative, got keep")));
}

}  // namespace
}  // namespace pair::runs::testing::domainbed_run_test
