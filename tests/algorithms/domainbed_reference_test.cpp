#include <gmock/gmock.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pair/algorithms/beta.h"
#include "pair/algorithms/registry.h"
#include "pair/models/registry.h"
#include "pair/train/algorithm.h"
#include "pair/train/batch.h"
#include "pair/train/own_update_strategy.h"
#include "tests/train/small_data.h"

// DANN, CDANN and Mixup against the losses of DomainBed's own classes, from the same parameters on the same
// data (golden/domainbed.json, which golden/make.py has made).

namespace pair::train::domainbed_reference_test {
namespace {

using nlohmann::json;

constexpr double adversary_weight = 0.7;  // DomainBed's lambda
const std::vector<std::pair<std::string, std::string>> adversary_options = {
    {"d_steps_per_g_step", "2"}, {"grad_penalty", "0.3"}, {"lr_d", "0.05"},    {"beta1", "0.5"},
    {"mlp_width", "6"},          {"mlp_depth", "3"},      {"mlp_dropout", "0"}};

// Environments of different sizes, and classes of different frequencies.
data::EnvironmentSet classes() {
  data::EnvironmentSet set = *testing::small_data(3, 14);
  set.loss = data::TaskLoss::cross_entropy;
  set.outputs = 2;
  for (data::Environment& environment : set.train) {
    environment.labels = environment.labels.to(torch::kLong);
  }
  return set;
}

Batch whole_batch(const data::EnvironmentSet& set) {
  Batch batch;
  batch.inputs = torch::cat({set.train[0].inputs, set.train[1].inputs});
  batch.labels = torch::cat({set.train[0].labels, set.train[1].labels});
  batch.sizes = {set.train[0].labels.size(0), set.train[1].labels.size(0)};
  return batch;
}

Settings settings_of(const std::string& algorithm) {
  Settings settings;
  settings.scheme = Scheme::own;
  settings.update = algorithms::algorithm_named(algorithm).update;
  for (const auto& [name, text] : adversary_options) {
    if (const base::Field* const field = settings.update.options.find(name)) {
      settings.update.options.set_text(*field, text);
    }
  }
  settings.objectives = {"erm"};
  settings.preference = {};
  settings.pretrain = 0;
  settings.penalty = adversary_weight;
  settings.lr = 0.02;
  settings.l2 = 0.0;
  settle(settings);
  return settings;
}

std::shared_ptr<models::Model> new_model() {
  data::Random random(5, "model");
  return models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}), {.size = 4, .outputs = 2},
                            random);
}

json values_of(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kDouble).flatten().contiguous();
  return std::vector<double>(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
}

// An algorithm on whole batches, before its first update.
struct Made {
  data::EnvironmentSet set = classes();
  Settings settings;
  DeviceLink link{torch::kCPU};
  std::unique_ptr<Learner> learner;
  std::unique_ptr<StepStrategy> strategy;

  explicit Made(const std::string& algorithm) : settings(settings_of(algorithm)) {
    learner = std::make_unique<Learner>(set, new_model(), settings, 5, link);
    strategy = make_own_strategy(*learner, settings, set, 5);
    strategy->begin();
  }
  [[nodiscard]] json adversary() const {
    torch::serialize::OutputArchive out;
    strategy->save(out);
    std::stringstream file;
    out.save_to(file);
    torch::serialize::InputArchive whole;
    whole.load_from(file);
    torch::serialize::InputArchive in;
    whole.read("algorithm", in);
    json all = json::array();
    torch::Tensor part;
    for (int i = 0; in.try_read("adversary/" + std::to_string(i), part); ++i) {
      all.push_back(values_of(part));
    }
    return all;
  }
};

// The orders of the environments and the shares that Mixup draws in four updates.
json mixup_draws() {
  data::Random random(9, "mixup");
  json draws{{"orders", json::array()}, {"shares", json::array()}};
  for (int update = 0; update < 4; ++update) {
    draws["orders"].push_back(random.permutation(2));
    for (int pair = 0; pair < 2; ++pair) {
      draws["shares"].push_back(algorithms::draw_beta(0.2, random));
    }
  }
  return draws;
}

json inputs_of_make_py() {
  json inputs{{"hparams",
               {{"lambda", adversary_weight},
                {"d_steps_per_g_step", 2},
                {"grad_penalty", 0.3},
                {"lr_d", 0.05},
                {"lr_g", 0.02},
                {"lr", 0.02},
                {"beta1", 0.5},
                {"mlp_width", 6},
                {"mlp_depth", 3},
                {"mlp_dropout", 0.0},
                {"mixup_alpha", 0.2}}},
              {"environments", json::array()},
              {"model", json::array()},
              {"Mixup", mixup_draws()}};
  for (const data::Environment& environment : classes().train) {
    json rows = json::array();
    for (std::int64_t i = 0; i < environment.labels.size(0); ++i) {
      rows.push_back(values_of(environment.inputs[i]));
    }
    const torch::Tensor labels = environment.labels.contiguous();
    inputs["environments"].push_back(
        {{"inputs", rows},
         {"labels", std::vector<std::int64_t>(labels.data_ptr<std::int64_t>(),
                                              labels.data_ptr<std::int64_t>() + labels.numel())}});
  }
  for (const torch::Tensor& parameter : new_model()->parameters()) {
    inputs["model"].push_back(values_of(parameter));
  }
  inputs["DANN"] = {{"adversary", Made("dann").adversary()}};
  inputs["CDANN"] = {{"adversary", Made("cdann").adversary()}};
  return inputs;
}

json golden() {
  return json::parse(std::ifstream(std::filesystem::path(PAIR_TEST_DATA) / "golden" / "domainbed.json"));
}

TEST(DomainBedReference, DISABLED_WritesTheInputsOfMakePy) {
  std::ofstream(std::filesystem::path(::testing::TempDir()) / "domainbed-inputs.json")
      << inputs_of_make_py().dump();
}

TEST(DomainBedReference, StartsFromTheStoredInputs) {
  json stored = golden();
  for (const char* name : {"DANN", "CDANN", "Mixup"}) {
    ASSERT_TRUE(stored.at(name).contains("losses")) << name;
    stored.at(name).erase("losses");
  }
  const json here = inputs_of_make_py().flatten();
  stored = stored.flatten();
  ASSERT_EQ(here.size(), stored.size());
  for (const auto& [place, number] : here.items()) {
    // Another standard library may round another way.
    EXPECT_NEAR(number.get<double>(), stored.at(place).get<double>(), 1e-6) << place;
  }
}

// Lambda, the class weights of CDANN and the gradient penalty are all in these losses.
TEST(DomainBedReference, DannAndCdannHaveDomainBedsLosses) {
  const json stored = golden();
  for (const auto& [name, key] : {std::pair{"dann", "DANN"}, {"cdann", "CDANN"}}) {
    Made made(name);
    std::int64_t step = 0;
    std::size_t compared = 0;
    for (const json& expected : stored.at(key).at("losses")) {
      made.strategy->advance(step++, made.settings.lr);
      for (const auto& [loss, value] : made.strategy->take_named_losses()) {
        if (expected.contains(loss)) {
          EXPECT_NEAR(value, expected.at(loss).get<double>(), 2e-5) << name << " " << loss;
          ++compared;
        }
      }
    }
    EXPECT_EQ(step, 6);
    EXPECT_EQ(compared, 6U);
  }
}

TEST(DomainBedReference, MixupHasDomainBedsLosses) {
  const json stored = golden().at("Mixup");
  const data::EnvironmentSet set = classes();
  const Settings settings = settings_of("mixup");
  const auto mixup = settings.update.make({settings, set, new_model(), 5, torch::kCPU});
  data::Random random(9, "mixup");
  ASSERT_EQ(stored.at("losses").size(), 4U);
  for (const json& expected : stored.at("losses")) {
    mixup->advance(whole_batch(set), settings.lr, random);
    EXPECT_NEAR(mixup->losses().at(0).second, expected.get<double>(), 2e-5);
  }
}

}  // namespace
}  // namespace pair::train::domainbed_reference_test
