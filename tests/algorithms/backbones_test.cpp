#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

#include "pair/algorithms/registry.h"
#include "pair/base/registry.h"
#include "pair/data/text.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/trainer.h"
#include "tests/train/small_data.h"

// Every algorithm on texts and on images, with a small DistilBERT and a small batch of images for ResNet-18.

namespace pair::train::backbones_test {
namespace {

std::shared_ptr<data::EnvironmentSet> comments() {
  static const data::WordPiece tokenizer(
      {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "so", "kind", "you", "fool", "thanks", "news"});
  std::vector<data::TextPart> parts(3);
  for (std::size_t e = 0; e < parts.size(); ++e) {
    data::TextPart& part = parts[e];
    part.key = "env" + std::to_string(e) + "_in";
    part.trained = e < 2;
    part.test = e == 2;
    for (int i = 0; i < 12; ++i) {
      const bool toxic = i % 2 == 0;
      part.texts.emplace_back(toxic ? "you fool" : i % 3 == 0 ? "so kind thanks" : "news so kind");
      part.labels.push_back(toxic != (i % (4 + static_cast<int>(e)) == 0) ? 1 : 0);
    }
  }
  return std::make_shared<data::EnvironmentSet>(
      data::text_set("comments", tokenizer, parts, {.max_tokens = 8, .classes = {"kind", "toxic"}}));
}

std::shared_ptr<data::EnvironmentSet> images() {
  auto set = std::make_shared<data::EnvironmentSet>();
  set->name = "images";
  set->loss = data::TaskLoss::cross_entropy;
  set->outputs = 2;
  set->train = {testing::small_pictures(0, 0.1, 12), testing::small_pictures(0, 0.2, 12)};
  set->held_out = {testing::small_pictures(1, 0.9, 12)};
  return set;
}

struct Case {
  std::string algorithm;
  std::string model;
  GradientSource gradients = GradientSource::head;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.algorithm << "_" << c.model << (c.gradients == GradientSource::all ? "_all_parameters" : "");
}

std::string shown(const ::testing::TestParamInfo<Case>& info) {
  std::string name = ::testing::PrintToString(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const algorithms::AlgorithmEntry& entry : algorithms::algorithms()) {
    for (const char* const model : {"distilbert", "resnet18"}) {
      cases.push_back({entry.name, model});
      if (entry.name == "pair") {
        cases.push_back({entry.name, model, GradientSource::all});
      }
    }
  }
  return cases;
}

// Settings by name as the algorithm declares them, without those of runs and of single objectives.
Settings settings_of(const Case& given) {
  const algorithms::AlgorithmEntry& entry = algorithms::algorithm_named(given.algorithm);
  Settings settings;
  for (const algorithms::Defaults& defaults : entry.defaults) {
    if (!defaults.where.empty() && defaults.where != "domainbed") {
      continue;
    }
    for (const auto& [name, value] : defaults.settings) {
      for (const base::Field& field : settings_fields()) {
        if (field.name == name) {
          if (const auto parsed = field.parse(value)) {
            field.set(&settings, *parsed);
          }
        }
      }
    }
  }
  settings.update = entry.update;
  settings.gradients = given.gradients;
  settings.model = given.model;
  settings.model_options = models::model_named(given.model).options;
  if (given.model == "distilbert") {
    settings.model_options = models::options_of("distilbert", {{"distilbert_layers", "1"},
                                                               {"distilbert_heads", "2"},
                                                               {"distilbert_dim", "8"},
                                                               {"distilbert_hidden", "12"},
                                                               {"distilbert_vocabulary", "10"},
                                                               {"distilbert_positions", "8"}});
  }
  settings.batch = 4;
  settings.steps = 3;
  settings.pretrain = std::min<std::int64_t>(settings.pretrain, 1);
  settings.backtrack = false;
  settings.lr = 1e-3;
  settings.preference.clear();
  settle(settings);
  for (auto& [name, options] : settings.objective_options) {
    if (name == "irmv1") {
      options = objectives::options_of("irmv1", {{"irmv1_unbiased", "true"}});
    }
  }
  return settings;
}

class Backbones : public ::testing::TestWithParam<Case> {};

TEST_P(Backbones, TakesThreeStepsAndResumes) {
  const Settings settings = settings_of(GetParam());
  const auto data = GetParam().model == "distilbert" ? comments() : images();
  const torch::Tensor inputs = data->held_out.front().inputs;
  Trainer trainer(data, settings, 1);
  const torch::Tensor before = trainer.predict(inputs).clone();
  trainer.advance();
  std::stringstream saved;
  trainer.save(saved);
  trainer.advance();
  trainer.advance();
  const torch::Tensor after = trainer.predict(inputs);
  EXPECT_TRUE(torch::isfinite(after).all().item<bool>());
  EXPECT_FALSE(torch::equal(after, before));
  const Evaluation evaluation = trainer.evaluate();
  for (const double loss : evaluation.losses) {
    EXPECT_TRUE(std::isfinite(loss));
  }
  Trainer resumed(data, settings, 1);
  resumed.load(saved);
  resumed.advance();
  resumed.advance();
  EXPECT_TRUE(torch::equal(resumed.predict(inputs), after));
}

INSTANTIATE_TEST_SUITE_P(EveryAlgorithm, Backbones, ::testing::ValuesIn(all_cases()), shown);

}  // namespace
}  // namespace pair::train::backbones_test
