#include "pair/train/step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <ostream>
#include <string>

#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/host_numbers.h"
#include "tests/train/small_data.h"

namespace pair::train::step_test {
namespace {

using objectives::Objective;

// Counts how often the featurizer runs.
class CountingModel : public models::Model {
 public:
  explicit CountingModel(std::shared_ptr<models::Model> inner) : inner_(std::move(inner)) {
    register_module("inner", inner_);
    head = inner_->head;
  }
  torch::Tensor features(const torch::Tensor& inputs) override {
    ++forwards;
    return inner_->features(inputs);
  }
  int forwards = 0;

 private:
  std::shared_ptr<models::Model> inner_;
};

struct Task {
  data::TaskLoss loss = data::TaskLoss::binary_cross_entropy;
  std::vector<std::int64_t> sizes = {200, 200};
};

// How GoogleTest shows it.
void PrintTo(const Task& task, std::ostream* out) {
  *out << data::to_string(task.loss);
  for (const std::int64_t size : task.sizes) {
    *out << ' ' << size;
  }
}

struct Fixture {
  explicit Fixture(const std::vector<std::string>& names, const Task& task = {}) : loss(task.loss) {
    const std::int64_t outputs = loss == data::TaskLoss::cross_entropy ? 3 : 1;
    data::Random random(3, "model");
    model = models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}),
                               {.size = 4, .outputs = outputs}, random);
    model->to(torch::kDouble);
    for (const std::string& name : names) {
      objectives.push_back(objectives::make_objective(name));
    }
    const auto set = testing::small_data();
    batch.inputs = torch::cat({set->train[0].inputs, set->train[1].inputs}).to(torch::kDouble);
    batch.labels = torch::cat({set->train[0].labels, set->train[1].labels}).to(torch::kDouble);
    batch.sizes = task.sizes;
    if (outputs > 1) {
      batch.labels = batch.labels.to(torch::kLong);
    }
  }

  // Gradients with respect to every parameter, by plain autograd through the whole network.
  std::vector<std::vector<torch::Tensor>> plain_gradients() {
    std::vector<std::vector<torch::Tensor>> result;
    for (const auto& objective : objectives) {
      const torch::Tensor features = model->features(batch.inputs);
      auto view = objectives::view_of(features, model->logits(features), batch.labels, batch.sizes, loss);
      view.parameters = model->parameters();
      data::Random random(0, "draws");
      result.push_back(torch::autograd::grad({objective->value(view, random)}, model->parameters(), {}, false,
                                             false,
                                             /*allow_unused=*/true));
      for (std::size_t p = 0; p < result.back().size(); ++p) {
        if (!result.back()[p].defined()) {
          result.back()[p] = torch::zeros_like(model->parameters()[p]);
        }
      }
    }
    return result;
  }

  std::shared_ptr<models::Model> model;
  std::vector<std::unique_ptr<Objective>> objectives;
  data::TaskLoss loss;
  Batch batch;
};

void expect_weighted_gradients(const torch::Tensor& gradient,
                               const std::vector<std::vector<torch::Tensor>>& plain,
                               const std::vector<double>& weights) {
  torch::Tensor expected;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const torch::Tensor term = flattened(plain[k]) * weights[k];
    expected = expected.defined() ? expected + term : term;
  }
  EXPECT_TRUE(torch::allclose(gradient, expected, 1e-9, 1e-12));
}

class CutStep : public ::testing::TestWithParam<Task> {};

TEST_P(CutStep, GivesTheGradientsOfPlainAutogradForFixedWeights) {
  Fixture fixture({"erm", "irmv1", "vrex", "ib", "sd"}, GetParam());
  const auto plain = fixture.plain_gradients();
  Step step(fixture.model, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  const std::vector<double> weights = {0.5, 2.0, 3.0, 0.25, 0.125};
  const Step::Result result = step.with_weights(fixture.batch, weights, random);
  EXPECT_EQ(result.losses.size(0), 5);
  expect_weighted_gradients(result.gradient, plain, weights);
}

TEST_P(CutStep, ShowsTheSolverTheGramMatrixOfTheChosenParameters) {
  for (const GradientSource source :
       {GradientSource::head, GradientSource::featurizer, GradientSource::all}) {
    SCOPED_TRACE(std::string(to_string(source)));
    Fixture fixture({"erm", "irmv1", "vrex", "ib"}, GetParam());
    const auto plain = fixture.plain_gradients();
    const auto head = fixture.model->head_parameters();
    std::vector<torch::Tensor> rows;
    const auto parameters = fixture.model->parameters();
    for (const auto& gradients : plain) {
      std::vector<torch::Tensor> parts;
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        const bool of_head =
            std::any_of(head.begin(), head.end(), [&](auto& h) { return h.is_same(parameters[p]); });
        if (source == GradientSource::all || of_head == (source == GradientSource::head)) {
          parts.push_back(gradients[p]);
        }
      }
      rows.push_back(flattened(parts));
    }
    const torch::Tensor expected = torch::mm(torch::stack(rows), torch::stack(rows).t());

    Step step(fixture.model, fixture.objectives, fixture.loss);
    data::Random random(0, "draws");
    const torch::Tensor seen = step.compare(fixture.batch, source, random);
    ASSERT_EQ(seen.numel(), 4 + 16);
    const torch::Tensor got = seen.narrow(0, 4, 16).reshape({4, 4});
    EXPECT_TRUE(torch::allclose(got, expected, 1e-9, 1e-14)) << got << expected;
    const std::vector<double> weights = {0.1, 0.2, 0.3, 0.4};
    expect_weighted_gradients(step.gradient(torch::tensor(weights, torch::kDouble)), plain, weights);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CutStep,
                         ::testing::Values(Task{}, Task{data::TaskLoss::cross_entropy, {200, 200}},
                                           Task{data::TaskLoss::squared_error, {200, 200}},
                                           Task{data::TaskLoss::binary_cross_entropy, {150, 250}},
                                           Task{data::TaskLoss::cross_entropy, {2, 389, 9}},
                                           Task{data::TaskLoss::squared_error, {400}}),
                         [](const auto& one) {
                           return std::string(data::to_string(one.param.loss)) + "_" +
                                  std::to_string(one.param.sizes.size()) + "_" + std::to_string(one.index);
                         });

TEST(Step, RunsTheFeaturizerOnceForAnyNumberOfObjectives) {
  Fixture fixture({"erm", "irmv1", "vrex", "ib", "sd", "fishr"});
  auto counting = std::make_shared<CountingModel>(fixture.model);
  Step step(counting, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  step.compare(fixture.batch, GradientSource::head, random);
  step.gradient(torch::full({6}, 0.1, torch::kDouble));
  EXPECT_EQ(counting->forwards, 1);
}

TEST(Step, KeepsTheWholeGraphForObjectivesThatNeedTheNetwork) {
  Fixture fixture({"erm", "iga"});
  const auto plain = fixture.plain_gradients();
  Step step(fixture.model, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  const std::vector<double> weights = {0.7, 0.3};
  step.compare(fixture.batch, GradientSource::head, random);
  expect_weighted_gradients(step.gradient(torch::tensor(weights, torch::kDouble)), plain, weights);
  expect_weighted_gradients(step.with_weights(fixture.batch, weights, random).gradient, plain, weights);
}

TEST(Step, LeavesAFrozenFeaturizerAlone) {
  Fixture fixture({"erm", "irmv1", "vrex"});
  Step step(fixture.model, fixture.objectives, fixture.loss);
  step.freeze_featurizer();
  data::Random random(0, "draws");
  step.compare(fixture.batch, GradientSource::head, random);
  const torch::Tensor gradient = step.gradient(torch::tensor({0.2, 0.3, 0.5}, torch::kDouble));
  EXPECT_EQ(step.parameters().size(), 2U);
  EXPECT_EQ(gradient.numel(), 8 + 1);
  EXPECT_THROW(step.compare(fixture.batch, GradientSource::featurizer, random), std::invalid_argument);
}

TEST(Step, ShowsALossThatIsNotFinite) {
  Fixture fixture({"erm", "irmv1", "vrex"});
  fixture.batch.inputs[7][0] = std::numeric_limits<double>::quiet_NaN();
  Step step(fixture.model, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  const torch::Tensor told = step.compare(fixture.batch, GradientSource::head, random);
  EXPECT_FALSE(all_finite(to_doubles(told)));
}

TEST(Step, GivesOneGradientAComparison) {
  Fixture fixture({"erm", "vrex"});
  Step step(fixture.model, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  const torch::Tensor weights = torch::tensor({0.5, 0.5}, torch::kDouble);
  EXPECT_THROW(step.gradient(weights), std::logic_error);
  step.compare(fixture.batch, GradientSource::head, random);
  step.gradient(weights);
  EXPECT_THROW(step.gradient(weights), std::logic_error);
}

}  // namespace
}  // namespace pair::train::step_test
