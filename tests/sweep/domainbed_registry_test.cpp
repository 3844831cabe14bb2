#include "pair/sweep/domainbed_registry.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "pair/algorithms/registry.h"
#include "pair/data/numpy_random.h"
#include "pair/data/sha256.h"
#include "pair/runs/settings.h"
#include "pair/sweep/hparams.h"

// DomainBed's own draws and splits are in golden/domainbed.json (make_domainbed.py).

namespace pair::sweep::domainbed_registry_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

nlohmann::json golden() {
  std::ifstream file(std::filesystem::path(PAIR_TEST_DATA) / "golden" / "domainbed.json");
  return nlohmann::json::parse(file);
}

TEST(DomainBedRegistry, DrawsTheSameNumbersBitForBit) {
  int compared = 0;
  const nlohmann::json stored = golden();
  for (const nlohmann::json& one : stored.at("hparams")) {
    const nlohmann::json ours =
        registered_hparams(one.at("dataset").get<std::string>(), one.at("algorithm").get<std::string>(),
                           one.at("seed").get<std::int64_t>(), one.at("trial_seed").get<std::int64_t>());
    // Doubles are compared exactly; integers and doubles of the same value are equal in JSON.
    EXPECT_EQ(ours, one.at("hparams")) << one.at("dataset") << one.at("algorithm") << one.at("seed");
    ++compared;
  }
  EXPECT_EQ(compared, 84);
}

TEST(DomainBedRegistry, KnowsEveryAlgorithmThatWeShareWithIt) {
  for (const algorithms::AlgorithmEntry& entry : algorithms::algorithms()) {
    if (!entry.domainbed.empty()) {
      EXPECT_NO_THROW((void)registered_hparams("PACS", entry.domainbed, 1, 0)) << entry.name;
    }
  }
}

// IB_IRM's second annealing is not a setting of ours, but DomainBed draws it.
TEST(DomainBedRegistry, HasWhatWeDoNotDraw) {
  const nlohmann::json ib_irm = registered_hparams("ColoredMNIST", "IB_IRM", 7, 2);
  EXPECT_NE(ib_irm.at("ib_penalty_anneal_iters"), ib_irm.at("irm_penalty_anneal_iters"));
  const nlohmann::json dann = registered_hparams("ColoredMNIST", "DANN", 7, 2);
  EXPECT_NE(dann.at("lr"), dann.at("lr_g"));
  EXPECT_EQ(dann.at("weight_decay_g"), 0.0);
  EXPECT_TRUE(dann.at("mlp_depth").is_number_integer());
  EXPECT_TRUE(dann.at("beta1").is_number_float());
}

TEST(DomainBedRegistry, RefusesOtherNames) {
  EXPECT_THAT([] { (void)registered_hparams("cmnist", "ERM", 0, 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("ColoredMNIST")));
  EXPECT_THAT([] { (void)registered_hparams("PACS", "SagNet", 0, 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got 'SagNet'")));
}

// A sweep gives its runs the values that DomainBed gives to its own, under our names.
TEST(DomainBedRegistry, IsWhatSweepsDraw) {
  const std::map<std::string, std::string> same = {
      {"irmv1", "irm_lambda"}, {"vrex", "vrex_lambda"}, {"fishr", "lambda"}, {"dann", "lambda"},
      {"coral", "mmd_gamma"},  {"mmd", "mmd_gamma"},    {"sd", "sd_reg"},    {"iga", "penalty"},
      {"ib-erm", "ib_lambda"}, {"cdann", "lambda"}};
  for (const std::string dataset : {"ColoredMNIST", "PACS", "DomainNet"}) {
    for (const algorithms::AlgorithmEntry& entry : algorithms::algorithms()) {
      if (entry.domainbed.empty()) {
        continue;
      }
      SCOPED_TRACE(dataset + " " + entry.name);
      const nlohmann::json theirs = registered_hparams(dataset, entry.domainbed, 7, 2);
      std::map<std::string, std::string> ours;
      for (const auto& [name, value] : draw_hparams(hparams_of(dataset, entry.name), 7, 2)) {
        ours[name] = value;
      }
      const bool adversarial = entry.name == "dann" || entry.name == "cdann";
      EXPECT_EQ(std::stod(ours.at("lr")), theirs.at(adversarial ? "lr_g" : "lr").get<double>());
      EXPECT_EQ(std::stoll(ours.at("batch")), theirs.at("batch_size").get<std::int64_t>());
      if (same.contains(entry.name)) {
        EXPECT_EQ(std::stod(ours.at("penalty")), theirs.at(same.at(entry.name)).get<double>());
      }
      if (ours.contains("mlp_width")) {
        EXPECT_EQ(std::stod(ours.at("mlp_width")), theirs.at("mlp_width").get<double>());
        EXPECT_EQ(std::stod(ours.at("beta1")), theirs.at("beta1").get<double>());
        EXPECT_EQ(std::stod(ours.at("lr_d")), theirs.at("lr_d").get<double>());
        EXPECT_EQ(std::stod(ours.at("weight_decay_d")), theirs.at("weight_decay_d").get<double>());
      }
      if (dataset != "ColoredMNIST") {
        const char* const decay = adversarial ? "weight_decay_g" : "weight_decay";
        EXPECT_EQ(2.0 * std::stod(ours.at("l2")), theirs.at(decay).get<double>());
        EXPECT_EQ(std::stod(ours.at("resnet_dropout")), theirs.at("resnet_dropout").get<double>());
      }
    }
  }
}

TEST(DomainBedRegistry, EarlierSweepsKeepTheirOwnDraws) {
  const std::vector<Hparam> hparams = hparams_of("ColoredMNIST", "irmv1");
  EXPECT_NE(draw_hparams(hparams, 1, 0, Draws::pair), draw_hparams(hparams, 1, 0, Draws::domainbed));
  EXPECT_EQ(draws_named("pair"), Draws::pair);
  EXPECT_THROW((void)draws_named("numpy"), std::invalid_argument);
}

TEST(DomainBedSplits, AreThoseOfDomainBed) {
  const nlohmann::json stored = golden();
  ASSERT_EQ(stored.at("splits").size(), 12U);
  for (const nlohmann::json& one : stored.at("splits")) {
    const data::DomainBedSplit split = data::domainbed_split(one.at("count").get<std::size_t>(), 0.2,
                                                             one.at("trial_seed").get<std::uint64_t>(),
                                                             one.at("environment").get<std::int64_t>());
    std::string all;
    for (const auto* part : {&split.out, &split.in}) {
      for (const std::int64_t key : *part) {
        all += (all.empty() ? "" : " ") + std::to_string(key);
      }
    }
    EXPECT_EQ(data::sha256(data::Bytes(all.begin(), all.end())), one.at("sha256").get<std::string>());
    const auto first = one.at("in").get<std::vector<std::int64_t>>();
    EXPECT_TRUE(std::equal(first.begin(), first.end(), split.in.begin()));
  }
}

}  // namespace
}  // namespace pair::sweep::domainbed_registry_test
