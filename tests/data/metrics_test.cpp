#include "pair/data/metrics.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pair/data/registry.h"

namespace pair::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

double value_of(const char* metric, TaskLoss loss, const torch::Tensor& outputs,
                const torch::Tensor& labels) {
  return metric_named(metric).of(loss, outputs, labels).item<double>();
}

// Of classes 0 to 3; nobody has or answers 3. Right: both of class 0, one of two of class 1, none of class 2.
struct ThreeClasses {
  torch::Tensor labels = torch::tensor({0, 0, 1, 1, 2}, torch::kLong);
  torch::Tensor outputs = torch::one_hot(torch::tensor({0, 0, 1, 0, 1}, torch::kLong), 4).to(torch::kFloat);
};

TEST(Metrics, AccuracyIsTheShareOfRightAnswers) {
  const ThreeClasses data;
  EXPECT_DOUBLE_EQ(value_of("accuracy", TaskLoss::cross_entropy, data.outputs, data.labels), 0.6);
  const torch::Tensor logits = torch::tensor({0.1F, -0.1F, 0.0F, 2.0F}).unsqueeze(1);
  const torch::Tensor labels = torch::tensor({1.0F, 0.0F, 1.0F, 0.0F});
  EXPECT_DOUBLE_EQ(value_of("accuracy", TaskLoss::binary_cross_entropy, logits, labels), 0.5);
}

TEST(Metrics, WorstGroupIsTheWorstClassThatIsThere) {
  const ThreeClasses data;
  EXPECT_DOUBLE_EQ(value_of("worst_group", TaskLoss::cross_entropy, data.outputs, data.labels), 0.0);
  const torch::Tensor some = torch::tensor({0, 1, 2, 3}, torch::kLong);
  EXPECT_DOUBLE_EQ(value_of("worst_group", TaskLoss::cross_entropy, data.outputs.index_select(0, some),
                            data.labels.index_select(0, some)),
                   0.5);
  const torch::Tensor logits = torch::tensor({1.0F, 1.0F, -1.0F, 1.0F, 1.0F}).unsqueeze(1);
  const torch::Tensor labels = torch::tensor({1.0F, 1.0F, 1.0F, 0.0F, 1.0F});
  EXPECT_DOUBLE_EQ(value_of("worst_group", TaskLoss::binary_cross_entropy, logits, labels), 0.0);
}

TEST(Metrics, MacroF1CountsEveryClassEqually) {
  const ThreeClasses data;
  // Class 0: 2 * 2 / (2 + 3); class 1: 2 * 1 / (2 + 2); class 2: 0; class 3 is neither there nor answered.
  EXPECT_DOUBLE_EQ(value_of("macro_f1", TaskLoss::cross_entropy, data.outputs, data.labels),
                   (0.8 + 0.5 + 0.0) / 3);
}

TEST(Metrics, RegressionsHaveErrorsAndCorrelations) {
  const torch::Tensor outputs = torch::tensor({1.0F, 2.0F, 4.0F}).unsqueeze(1);
  const torch::Tensor labels = torch::tensor({1.0F, 3.0F, 2.0F});
  EXPECT_DOUBLE_EQ(value_of("mse", TaskLoss::squared_error, outputs, labels), 5.0 / 3);
  EXPECT_DOUBLE_EQ(value_of("rmse", TaskLoss::squared_error, outputs, labels), std::sqrt(5.0 / 3));
  EXPECT_NEAR(value_of("pearson", TaskLoss::squared_error, outputs, labels), 1.0 / std::sqrt(28.0 / 3),
              1e-12);
  EXPECT_EQ(value_of("pearson", TaskLoss::squared_error, torch::ones({3, 1}), labels), 0.0);
}

TEST(Metrics, ProbabilitiesOfSmallLogitsKeepTheirDigits) {
  const torch::Tensor shares =
      probabilities(TaskLoss::binary_cross_entropy, torch::tensor({40.0F, 0.0F}).unsqueeze(1));
  EXPECT_NEAR(shares[0][0].item<double>() / std::exp(-40.0), 1.0, 1e-5);
  EXPECT_EQ(shares[1][1].item<float>(), 0.5F);
  EXPECT_THAT(
      [] {
        (void)probabilities(TaskLoss::squared_error, torch::ones({1, 1}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("expected a task with classes")));
}

TEST(Metrics, AreCheckedAgainstTheTask) {
  EXPECT_EQ(metrics_for(TaskLoss::squared_error, {}).at(0).name, "mse");
  EXPECT_EQ(metrics_for(TaskLoss::cross_entropy, {}).at(0).name, "accuracy");
  EXPECT_THAT([] { (void)metrics_for(TaskLoss::squared_error, {"accuracy"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(
                  "metrics: expected mse, rmse or pearson (the model predicts numbers), got 'accuracy'")));
  EXPECT_THAT([] { (void)metrics_for(TaskLoss::cross_entropy, {"acuracy"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'accuracy'")));
}

TEST(Metrics, EveryDatasetNamesKnownOnes) {
  for (const DatasetEntry& entry : datasets()) {
    for (const std::string& name : entry.metrics) {
      EXPECT_NO_THROW((void)metric_named(name)) << entry.name;
    }
  }
}

}  // namespace
}  // namespace pair::data
