#include "pair/train/held_out_losses.h"

#include <gmock/gmock.h>
#include <torch/utils.h>

#include <cmath>
#include <optional>

#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/noise_floor.h"
#include "pair/train/trainer.h"
#include "tests/train/small_data.h"

namespace pair::train::held_out_losses_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::SizeIs;

using Objectives = std::vector<std::unique_ptr<objectives::Objective>>;

Objectives made(const std::vector<std::string>& names) {
  Objectives list;
  for (const std::string& name : names) {
    list.push_back(objectives::make_objective(name));
  }
  return list;
}

// Training environments, a held-out part of each, and a test environment with both parts in between.
std::shared_ptr<data::EnvironmentSet> split_data(std::int64_t samples = 200) {
  auto set = testing::small_data(0, samples);
  set->train[0].key = "env0_in";
  set->train[1].key = "env2_in";
  set->held_out = {
      testing::small_environment(7, 0.2, samples / 2), testing::small_environment(8, 0.9, samples),
      testing::small_environment(9, 0.9, samples / 2), testing::small_environment(7, 0.1, samples / 2)};
  const char* const keys[] = {"env2_out", "env1_in", "env1_out", "env0_out"};
  for (std::size_t i = 0; i < set->held_out.size(); ++i) {
    set->held_out[i].key = keys[i];
  }
  set->held_out[1].test = true;
  return set;
}

Settings settings_on(std::int64_t batch) {
  Settings settings;
  settings.steps = 20;
  settings.pretrain = 10;
  settings.batch = batch;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  return settings;
}

TEST(HeldOutParts, AreThoseOfTheTrainingEnvironmentsInTheirOrder) {
  auto set = split_data();
  EXPECT_THAT(held_out_parts(*set), ElementsAre(3, 0));
  set->held_out.erase(set->held_out.begin());
  EXPECT_THAT(held_out_parts(*set), IsEmpty()) << "one environment has none";
  EXPECT_THAT(held_out_parts(*testing::small_data()), IsEmpty());
}

TEST(HeldOutParts, AreNeverForTests) {
  auto set = split_data();
  set->held_out[3].test = true;
  EXPECT_THAT(held_out_parts(*set), IsEmpty());
}

TEST(HeldOutLosses, AreTheObjectivesOfTheLogits) {
  const torch::Tensor logits = torch::tensor({{0.5}, {-1.0}, {2.0}, {0.0}, {1.0}}, torch::kDouble);
  const torch::Tensor labels = torch::tensor({1.0, 0.0, 0.0, 1.0, 1.0}, torch::kDouble);
  const Objectives objectives = made({"erm", "irmv1", "vrex"});
  const torch::Tensor found =
      held_out_losses(objectives, data::TaskLoss::binary_cross_entropy, logits, labels, {3, 2});

  const auto loss = [&](int i) {
    const double z = logits[i][0].item<double>();
    return std::log1p(std::exp(z)) - labels[i].item<double>() * z;
  };
  const auto slope = [&](int i) {
    const double z = logits[i][0].item<double>();
    return (1.0 / (1.0 + std::exp(-z)) - labels[i].item<double>()) * z;
  };
  const auto mean = [](const auto& of, int from, int to) {
    double sum = 0.0;
    for (int i = from; i < to; ++i) {
      sum += of(i);
    }
    return sum / (to - from);
  };
  const double first = mean(loss, 0, 3);
  const double second = mean(loss, 3, 5);
  EXPECT_NEAR(found[0][0].item<double>(), (first + second) / 2, 1e-12);
  EXPECT_NEAR(found[0][1].item<double>(),
              (std::pow(mean(slope, 0, 3), 2) + std::pow(mean(slope, 3, 5), 2)) / 2, 1e-12);
  EXPECT_NEAR(found[0][2].item<double>(), std::pow(first - second, 2) / 2, 1e-12);

  // Variances of means of three and two samples.
  const auto variance = [&](const auto& of, int from, int to) {
    const double centre = mean(of, from, to);
    return mean([&](int i) { return std::pow(of(i) - centre, 2); }, from, to) / (to - from - 1);
  };
  EXPECT_THAT(found[1][0].item<double>(), IsNan());
  EXPECT_NEAR(found[1][1].item<double>(), (variance(slope, 0, 3) + variance(slope, 3, 5)) / 2, 1e-12);
  EXPECT_NEAR(found[1][2].item<double>(), (variance(loss, 0, 3) + variance(loss, 3, 5)) / 2, 1e-12);
}

// The declarations of an objective without kernels, such as a user's own.
class Span final : public objectives::Objective {
 public:
  torch::Tensor value(const objectives::HeadView& view, data::Random& /*random*/) override {
    return view.derivatives.square().sum() + view.risks.max() - view.risks.min();
  }
  [[nodiscard]] bool of_moments() const override { return true; }
  [[nodiscard]] bool takes_derivatives() const override { return true; }
  [[nodiscard]] std::optional<NoiseFloor> noise_floor(std::size_t environments) const override {
    return NoiseFloor{.risks = 0.5, .derivatives = static_cast<double>(environments)};
  }
};

TEST(HeldOutLosses, NeedOnlyTheObjectivesOwnDeclaration) {
  const torch::Tensor logits = torch::tensor({{0.5}, {-1.0}, {2.0}, {0.0}}, torch::kDouble);
  const torch::Tensor labels = torch::tensor({1.0, 0.0, 0.0, 1.0}, torch::kDouble);
  Objectives objectives = made({"irmv1", "vrex", "worst_risk"});
  objectives.push_back(std::make_unique<Span>());
  const torch::Tensor found =
      held_out_losses(objectives, data::TaskLoss::squared_error, logits, labels, {2, 2});
  // Squared errors of 0.25 and 1 in one environment, of 4 and 1 in the other.
  EXPECT_DOUBLE_EQ(found[0][2].item<double>(), 2.5);
  EXPECT_DOUBLE_EQ(found[0][3].item<double>(), 2 * found[0][0].item<double>() + 2.5 - 0.625);
  EXPECT_THAT(found[1][2].item<double>(), IsNan());
  EXPECT_DOUBLE_EQ(found[1][3].item<double>(),
                   0.5 * found[1][1].item<double>() + 2 * found[1][0].item<double>());
}

TEST(HeldOutLosses, LeaveTheStateOfAnObjectiveAlone) {
  const torch::Tensor logits = torch::tensor({{0.5}, {-1.0}, {2.0}, {0.0}});
  const Objectives objectives = made({"group_dro"});
  const torch::Tensor found =
      held_out_losses(objectives, data::TaskLoss::squared_error, logits, torch::zeros({4}), {2, 2});
  EXPECT_THAT(found[0][0].item<double>(), IsNan());
  EXPECT_TRUE(objectives[0]->state().empty());
}

TEST(HeldOutLosses, LeaveOutWhatIsNotAFunctionOfMoments) {
  const torch::Tensor logits = torch::randn({8, 1});
  const torch::Tensor labels = torch::tensor({1.F, 0.F, 0.F, 1.F, 1.F, 0.F, 0.F, 1.F});
  const torch::Tensor found = held_out_losses(made({"erm", "fishr", "group_dro"}),
                                              data::TaskLoss::binary_cross_entropy, logits, labels, {4, 4});
  EXPECT_TRUE(std::isfinite(found[0][0].item<double>()));
  EXPECT_THAT(found[0][1].item<double>(), IsNan());
  EXPECT_THAT(found[0][2].item<double>(), IsNan());
}

TEST(HeldOutLosses, AreEvaluatedOnPartsThatAreNotTrainedOn) {
  const auto set = split_data();
  Trainer trainer(set, settings_on(0), 1);
  while (!trainer.finished()) {
    trainer.advance();
  }
  const Evaluation evaluation = trainer.evaluate();
  std::vector<torch::Tensor> logits;
  std::vector<torch::Tensor> labels;
  for (const std::size_t part : {3, 0}) {
    logits.push_back(trainer.predict(set->held_out[part].inputs));
    labels.push_back(set->held_out[part].labels);
  }
  const torch::Tensor expected = held_out_losses(made({"erm", "irmv1", "vrex"}), set->loss,
                                                 torch::cat(logits), torch::cat(labels), {100, 100});
  ASSERT_THAT(evaluation.held_out_losses, SizeIs(3));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(evaluation.held_out_losses[k], expected[0][static_cast<std::int64_t>(k)].item<double>(),
                1e-9);
  }
  EXPECT_THAT(evaluation.held_out_floors,
              ElementsAre(IsNan(), DoubleNear(expected[1][1].item<double>(), 1e-9),
                          DoubleNear(expected[1][2].item<double>(), 1e-9)));
  EXPECT_THAT(evaluation.scores, SizeIs(6)) << "scores are as without";

  Trainer without(testing::small_data(), settings_on(0), 1);
  EXPECT_THAT(without.evaluate().held_out_losses, IsEmpty());
}

TEST(HeldOutLosses, ChangeNoTraining) {
  const auto losses_of = [](std::shared_ptr<data::EnvironmentSet> set) {
    Trainer trainer(std::move(set), settings_on(16), 1);
    while (!trainer.finished()) {
      trainer.advance();
      if (trainer.step() % 5 == 0) {
        (void)trainer.evaluate();
      }
    }
    return trainer.evaluate().losses;
  };
  EXPECT_EQ(losses_of(split_data()), losses_of(testing::small_data()));
}

TEST(NoiseFloor, IsWhatAnObjectiveReadsWhereItsTrueValueIsZero) {
  const Objectives objectives = made({"erm", "irmv1", "vrex"});
  const Moments variances{torch::tensor({1e-4, 3e-4}, torch::kDouble),
                          torch::tensor({2e-4, 6e-4}, torch::kDouble)};
  const torch::Tensor floors = noise_floors(objectives, variances);
  EXPECT_THAT(floors[0].item<double>(), IsNan());
  // By simulation: equal risks and vanishing derivatives, seen through noise.
  data::Random random(0, "noise");
  double irmv1 = 0.0;
  double vrex = 0.0;
  constexpr int draws = 20'000;
  for (int i = 0; i < draws; ++i) {
    const double first = 0.01 * random.normal();
    const double second = std::sqrt(3e-4) * random.normal();
    vrex += (first - second) * (first - second) / 2 / draws;
    irmv1 += (2e-4 * std::pow(random.normal(), 2) + 6e-4 * std::pow(random.normal(), 2)) / 2 / draws;
  }
  EXPECT_NEAR(floors[1].item<double>(), irmv1, 0.05 * irmv1);
  EXPECT_NEAR(floors[2].item<double>(), vrex, 0.05 * vrex);
}

TEST(NoiseFloor, IsNotThereWithoutVariances) {
  const Moments unknown{torch::tensor({1e-4, 3e-4}, torch::kDouble), torch::zeros({2}, torch::kDouble)};
  const torch::Tensor floors = noise_floors(made({"erm", "irmv1", "vrex"}), unknown);
  EXPECT_THAT(floors[1].item<double>(), IsNan());
  EXPECT_DOUBLE_EQ(floors[2].item<double>(), 2e-4);
}

TEST(NoiseFloor, IsTheSizeOfTheErrorsOfUnbiasedIrmv1) {
  Objectives unbiased;
  unbiased.push_back(
      objectives::make_objective("irmv1", objectives::options_of("irmv1", {{"irmv1_unbiased", "true"}})));
  const Moments variances{torch::tensor({1e-4, 3e-4}, torch::kDouble),
                          torch::tensor({2e-4, 6e-4}, torch::kDouble)};
  EXPECT_DOUBLE_EQ(noise_floors(unbiased, variances)[0].item<double>(), 4e-4);
}

TEST(NoiseFloor, OneEnvironmentHasNothingToCompare) {
  const Moments one{torch::tensor({1e-4}, torch::kDouble), torch::tensor({2e-4}, torch::kDouble)};
  const torch::Tensor floors = noise_floors(made({"erm", "irmv1", "vrex"}), one);
  EXPECT_EQ(floors[1].item<double>(), 2e-4);
  EXPECT_THAT(floors[2].item<double>(), IsNan());
}

}  // namespace
}  // namespace pair::train::held_out_losses_test
