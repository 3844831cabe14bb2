// Batches that go through the featurizer in parts.

#include <gmock/gmock.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include <memory>

#include "pair/algorithms/registry.h"
#include "pair/models/dropout.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/host_numbers.h"
#include "pair/train/step.h"
#include "pair/train/trainer.h"
#include "tests/train/normalized_model.h"
#include "tests/train/small_data.h"

namespace pair::train::accumulate_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Problem {
  explicit Problem(const std::vector<std::string>& names) {
    data::Random random(3, "model");
    model = models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}), {.size = 4, .outputs = 1},
                               random);
    model->to(torch::kDouble);
    for (const std::string& name : names) {
      objectives.push_back(objectives::make_objective(name));
    }
    const auto set = testing::small_data(0, 30);
    batch.inputs =
        torch::cat({set->train[0].inputs, set->train[1].inputs.narrow(0, 0, 17)}).to(torch::kDouble);
    batch.labels =
        torch::cat({set->train[0].labels, set->train[1].labels.narrow(0, 0, 17)}).to(torch::kDouble);
    batch.sizes = {30, 17};
  }

  [[nodiscard]] Step step(std::int64_t parts) const {
    return {model, objectives, data::TaskLoss::binary_cross_entropy, {.parts = parts}};
  }

  std::shared_ptr<models::Model> model;
  std::vector<std::unique_ptr<objectives::Objective>> objectives;
  Batch batch;
  data::Random draws{0, "draws"};
};

TEST(Accumulate, GivesTheGradientOfTheWholeBatchForAnyObjectiveOfTheHead) {
  Problem problem({"erm", "irmv1", "vrex", "ib"});
  const std::vector<double> weights{1.0, 0.5, 2.0, 0.25};
  Step whole = problem.step(1);
  const Step::Result expected = whole.with_weights(problem.batch, weights, problem.draws);
  for (const std::int64_t parts : {2, 5, 17}) {
    Step step = problem.step(parts);
    const Step::Result found = step.with_weights(problem.batch, weights, problem.draws);
    EXPECT_TRUE(torch::allclose(found.losses, expected.losses, 1e-12, 1e-14)) << parts;
    EXPECT_TRUE(torch::allclose(found.gradient, expected.gradient, 1e-9, 1e-13)) << parts;
  }
}

TEST(Accumulate, GivesTheSolverTheGramMatrixOfTheWholeBatch) {
  for (const GradientSource source :
       {GradientSource::head, GradientSource::featurizer, GradientSource::all}) {
    Problem problem({"erm", "irmv1", "vrex"});
    Step whole = problem.step(1);
    Step step = problem.step(4);
    const torch::Tensor expected = whole.compare(problem.batch, source, problem.draws);
    EXPECT_TRUE(torch::allclose(step.compare(problem.batch, source, problem.draws), expected, 1e-9, 1e-14));
    const torch::Tensor weights = torch::tensor({0.2, 0.3, 0.5}, torch::kDouble);
    EXPECT_TRUE(torch::allclose(step.gradient(weights), whole.gradient(weights), 1e-9, 1e-13));
  }
}

// A network with dropout and without BatchNorm.
class DroppingModel : public models::Model {
 public:
  DroppingModel() {
    hidden_ = register_module("hidden", torch::nn::Linear(4, 8));
    dropout_ = register_module("dropout", std::make_shared<models::Dropout>(0.5));
    head = register_module("head", torch::nn::Linear(8, 1));
  }
  torch::Tensor features(const torch::Tensor& inputs) override {
    return dropout_->forward(hidden_->forward(inputs).relu());
  }

 private:
  torch::nn::Linear hidden_{nullptr};
  std::shared_ptr<models::Dropout> dropout_;
};

TEST(Accumulate, GivesEachSampleTheDropoutMaskThatItHasInTheWholeBatch) {
  Problem problem({"erm", "vrex"});
  problem.model = std::make_shared<DroppingModel>();
  problem.model->to(torch::kDouble);
  problem.model->train();
  models::DropoutKey key(*problem.model, 1, torch::kCPU);
  key.set_step(7);
  const std::vector<double> weights{1.0, 2.0};
  Step whole = problem.step(1);
  const Step::Result expected = whole.with_weights(problem.batch, weights, problem.draws);
  for (const std::int64_t parts : {2, 5}) {
    Step step = problem.step(parts);
    const Step::Result found = step.with_weights(problem.batch, weights, problem.draws);
    EXPECT_TRUE(torch::allclose(found.losses, expected.losses, 1e-12, 1e-14)) << parts;
    EXPECT_TRUE(torch::allclose(found.gradient, expected.gradient, 1e-9, 1e-13)) << parts;
  }
}

// BatchNorm normalises each part by itself, and counts each part once, for any number of passes.
TEST(Accumulate, LetsBatchNormSeeEachPartOnce) {
  for (const GradientSource source : {GradientSource::head, GradientSource::all}) {
    const auto model = std::make_shared<testing::NormalizedModel>(4, 8, 0.0);
    model->train();
    std::vector<std::unique_ptr<objectives::Objective>> objectives;
    objectives.push_back(objectives::make_objective("erm"));
    objectives.push_back(objectives::make_objective("vrex"));
    Step step(model, objectives, data::TaskLoss::binary_cross_entropy, {.parts = 2});
    const auto set = testing::small_data(0, 8);
    Batch batch{torch::cat({set->train[0].inputs, set->train[1].inputs}),
                torch::cat({set->train[0].labels, set->train[1].labels}),
                {8, 8}};
    data::Random draws(0, "draws");
    (void)step.compare(batch, source, draws);
    (void)step.gradient(torch::tensor({0.5, 0.5}, torch::kDouble));
    EXPECT_EQ(model->norm->num_batches_tracked.item<std::int64_t>(), 2);

    // The same by hand.
    const auto other = std::make_shared<testing::NormalizedModel>(4, 8, 0.0);
    other->train();
    {
      const torch::NoGradGuard no_graph;
      for (std::size_t i = 0; i < model->parameters().size(); ++i) {
        other->parameters()[i].copy_(model->parameters()[i]);
      }
    }
    for (const std::int64_t part : {0, 1}) {
      (void)other->features(
          torch::cat({batch.inputs.narrow(0, 4 * part, 4), batch.inputs.narrow(0, 8 + 4 * part, 4)}));
    }
    EXPECT_TRUE(torch::allclose(model->norm->running_mean, other->norm->running_mean));
    EXPECT_TRUE(torch::allclose(model->norm->running_var, other->norm->running_var));
  }
}

Settings settings_of() {
  Settings settings;
  settings.steps = 6;
  settings.pretrain = 3;
  settings.batch = 12;
  settings.accumulate = 3;
  return settings;
}

TEST(Accumulate, TrainsAsWithoutIt) {
  const auto set = testing::small_data();
  Settings settings = settings_of();
  Trainer parts(set, settings, 1);
  settings.accumulate = 1;
  Trainer whole(set, settings, 1);
  for (int i = 0; i < 6; ++i) {
    parts.advance();
    whole.advance();
  }
  const Evaluation found = parts.evaluate();
  const Evaluation expected = whole.evaluate();
  for (std::size_t k = 0; k < expected.losses.size(); ++k) {
    EXPECT_NEAR(found.losses[k], expected.losses[k], 1e-4);
  }
}

TEST(Accumulate, IsRefusedWhereItCannotBeDone) {
  const auto set = testing::small_data(0, 10);
  Settings settings = settings_of();
  settings.accumulate = 5;
  EXPECT_THAT(
      [&] { Trainer(set, settings, 1); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("accumulate: expected a divisor of batch (12), got 5")));
  settings.batch = 0;
  settings.accumulate = 11;
  EXPECT_THAT(
      [&] { Trainer(set, settings, 1); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("expected at most 10, the samples of the smallest")));
  settings.accumulate = 2;
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm", "iga"};
  EXPECT_THAT([&] { Trainer(set, settings, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("needs the whole network")));
  settings.objectives = {"erm"};
  settings.scheme = Scheme::own;
  settings.update = algorithms::algorithm_named("mixup").update;
  EXPECT_THAT([&] { Trainer(set, settings, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("accumulate: expected 1 with")));
}

}  // namespace
}  // namespace pair::train::accumulate_test
