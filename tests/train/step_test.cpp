#include "pair/train/step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <string>

#include "pair/train/host_numbers.h"
#include "tests/train/small_data.h"

namespace pair::train {
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

struct Fixture {
  explicit Fixture(std::vector<std::string> names, std::int64_t outputs = 1) {
    data::Random random(3, "model");
    model = models::make_model({.name = "mlp", .input_size = 4, .outputs = outputs, .width = 8, .depth = 2},
                               random);
    model->to(torch::kDouble);
    for (const std::string& name : names) {
      objectives.push_back(objectives::make_objective(name, {}));
    }
    const auto set = testing::small_data();
    batch.inputs = torch::cat({set->train[0].inputs, set->train[1].inputs}).to(torch::kDouble);
    batch.labels = torch::cat({set->train[0].labels, set->train[1].labels}).to(torch::kDouble);
    batch.sizes = {200, 200};
    if (outputs > 1) {
      loss = data::TaskLoss::cross_entropy;
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
  data::TaskLoss loss = data::TaskLoss::binary_cross_entropy;
  Batch batch;
};

void expect_weighted_gradients(Fixture& fixture, const std::vector<std::vector<torch::Tensor>>& plain,
                               const std::vector<double>& weights) {
  const auto parameters = fixture.model->parameters();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    torch::Tensor expected = torch::zeros_like(parameters[p]);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      expected = expected + plain[k][p] * weights[k];
    }
    ASSERT_TRUE(parameters[p].grad().defined()) << "parameter " << p;
    EXPECT_TRUE(torch::allclose(parameters[p].grad(), expected, 1e-9, 1e-12)) << "parameter " << p;
  }
}

class CutStep : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(CutStep, GivesTheGradientsOfPlainAutogradForFixedWeights) {
  Fixture fixture({"erm", "irmv1", "vrex", "ib", "sd"}, GetParam());
  const auto plain = fixture.plain_gradients();
  Step step(fixture.model, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  const std::vector<double> weights = {0.5, 2.0, 3.0, 0.25, 0.125};
  const StepLosses result = step.with_weights(fixture.batch, weights, random);
  EXPECT_TRUE(result.finite);
  EXPECT_EQ(result.losses.size(), weights.size());
  expect_weighted_gradients(fixture, plain, weights);
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
    std::vector<double> seen;
    const std::vector<double> weights = {0.1, 0.2, 0.3, 0.4};
    step.with_solver(
        fixture.batch, source,
        [&](auto, std::span<const double> gram) {
          seen.assign(gram.begin(), gram.end());
          return weights;
        },
        random);
    ASSERT_EQ(seen.size(), 16U);
    const torch::Tensor got = torch::tensor(seen, torch::kDouble).reshape({4, 4});
    EXPECT_TRUE(torch::allclose(got, expected, 1e-9, 1e-14)) << got << expected;
    expect_weighted_gradients(fixture, plain, weights);
  }
}

INSTANTIATE_TEST_SUITE_P(BinaryAndClasses, CutStep, ::testing::Values(1, 3));

TEST(Step, RunsTheFeaturizerOnceWhateverTheNumberOfObjectives) {
  Fixture fixture({"erm", "irmv1", "vrex", "ib", "sd", "fishr"});
  auto counting = std::make_shared<CountingModel>(fixture.model);
  Step step(counting, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  step.with_solver(
      fixture.batch, GradientSource::head,
      [](auto losses, auto) { return std::vector<double>(losses.size(), 0.1); }, random);
  EXPECT_EQ(counting->forwards, 1);
}

TEST(Step, KeepsTheWholeGraphForObjectivesThatNeedTheNetwork) {
  Fixture fixture({"erm", "iga"});
  const auto plain = fixture.plain_gradients();
  Step step(fixture.model, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  const std::vector<double> weights = {0.7, 0.3};
  step.with_solver(
      fixture.batch, GradientSource::head, [&](auto, auto) { return weights; }, random);
  expect_weighted_gradients(fixture, plain, weights);
}

TEST(Step, LeavesAFrozenFeaturizerAlone) {
  Fixture fixture({"erm", "irmv1", "vrex"});
  Step step(fixture.model, fixture.objectives, fixture.loss);
  step.freeze_featurizer();
  data::Random random(0, "draws");
  step.with_solver(
      fixture.batch, GradientSource::head,
      [](auto, auto) {
        return std::vector<double>{0.2, 0.3, 0.5};
      },
      random);
  for (const torch::Tensor& parameter : fixture.model->featurizer_parameters()) {
    EXPECT_FALSE(parameter.grad().defined());
  }
  EXPECT_TRUE(fixture.model->head->weight.grad().defined());
}

TEST(Step, SaysWhereALossIsNotFiniteAndAsksNoSolver) {
  Fixture fixture({"erm", "irmv1", "vrex"});
  fixture.batch.inputs[7][0] = std::numeric_limits<double>::quiet_NaN();
  Step step(fixture.model, fixture.objectives, fixture.loss);
  data::Random random(0, "draws");
  bool asked = false;
  const StepLosses result = step.with_solver(
      fixture.batch, GradientSource::head,
      [&](auto, auto) {
        asked = true;
        return std::vector<double>{1, 0, 0};
      },
      random);
  EXPECT_FALSE(result.finite);
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace pair::train
