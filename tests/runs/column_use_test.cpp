#include "pair/runs/column_use.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cmath>
#include <numeric>

namespace pair::runs {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Pointwise;

torch::Tensor drawn(std::initializer_list<std::int64_t> sizes, std::uint64_t seed) {
  auto generator = at::detail::createCPUGenerator(seed);
  return torch::randn(sizes, generator);
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Four rows, by hand: f = 2 x_1 - x_2, labels 0, 0, 1, 1.
TEST(ColumnUse, IsTheCovarianceWithOutputAndLabel) {
  const torch::Tensor inputs =
      torch::tensor({{-1.0, 1.0}, {-1.0, -1.0}, {1.0, 1.0}, {1.0, 1.0}}).to(torch::kFloat);
  const torch::Tensor weights = torch::tensor({{2.0, -1.0}}, torch::kDouble);
  const torch::Tensor outputs = torch::matmul(inputs, weights.to(torch::kFloat).t()) + 5.0;
  const torch::Tensor labels = torch::tensor({0.0F, 0.0F, 1.0F, 1.0F});
  const std::vector<std::int64_t> widths{1, 1};
  const ColumnUse use =
      column_use(data::TaskLoss::binary_cross_entropy, inputs, outputs, labels, weights, widths);
  // u_1 = -2, -2, 2, 2; u_2 = -1, 1, -1, -1 (mean -0.5); f - 5 = -3, -1, 1, 1 (mean -0.5).
  // Sums about the means: u_1 f = 2 (2.5 + 0.5 + 1.5 + 1.5) = 12, u_2 f = 0.5*2.5 - 1.5*0.5 - 0.5*1.5*2 = -1, f f = 11.
  EXPECT_NEAR(use.share[0], 12.0 / 11.0, 1e-12);
  EXPECT_NEAR(use.share[1], -1.0 / 11.0, 1e-12);
  // u_1 y = 4, u_1 u_1 = 16, y y = 1; u_2 y = -0.5*(-0.5) + 1.5*(-0.5) - 0.5*0.5*2 = -1, u_2 u_2 = 3.
  EXPECT_NEAR(use.agreement[0], 1.0, 1e-12);
  EXPECT_NEAR(use.agreement[1], -1.0 / std::sqrt(3.0), 1e-12);
}

TEST(ColumnUse, SharesSumToOneForLinearModels) {
  for (const std::int64_t classes : {1, 3, 7}) {
    const torch::Tensor inputs = drawn({200, 6}, 1);
    const torch::Tensor weights = drawn({classes, 6}, 2).to(torch::kDouble);
    const torch::Tensor outputs = torch::matmul(inputs.to(torch::kDouble), weights.t()) + 3.0;
    const torch::Tensor labels = torch::arange(200) % std::max<std::int64_t>(classes, 2);
    const data::TaskLoss loss =
        classes == 1 ? data::TaskLoss::binary_cross_entropy : data::TaskLoss::cross_entropy;
    const std::vector<std::int64_t> widths{1, 3, 2};
    const ColumnUse use = column_use(loss, inputs, outputs, labels, weights, widths);
    EXPECT_NEAR(sum_of(use.share), 1.0, 1e-9);
    for (const double agreement : use.agreement) {
      EXPECT_LE(std::abs(agreement), 1.0);
    }
    // A shift of all classes' outputs changes no probability, and so no share.
    const ColumnUse shifted = column_use(
        loss, inputs,
        outputs + (classes > 1 ? 10.0 * inputs.slice(1, 0, 1).to(torch::kDouble) : 0.0 * outputs), labels,
        classes > 1 ? weights + torch::eye(6, torch::kDouble).slice(0, 0, 1) * 10.0 : weights, widths);
    EXPECT_THAT(shifted.share, Pointwise(DoubleNear(1e-9), use.share));
  }
}

TEST(ColumnUse, TwoClassesAreABinaryModel) {
  const torch::Tensor inputs = drawn({100, 4}, 3);
  const torch::Tensor one = drawn({1, 4}, 4).to(torch::kDouble);
  const torch::Tensor two = torch::cat({torch::zeros_like(one), one});
  const torch::Tensor outputs = torch::matmul(inputs.to(torch::kDouble), one.t());
  const torch::Tensor labels = (drawn({100}, 5) > 0).to(torch::kLong);
  const std::vector<std::int64_t> widths{2, 2};
  const ColumnUse binary = column_use(data::TaskLoss::binary_cross_entropy, inputs, outputs,
                                      labels.to(torch::kFloat), one, widths);
  const ColumnUse classes =
      column_use(data::TaskLoss::cross_entropy, inputs, torch::cat({torch::zeros_like(outputs), outputs}, 1),
                 labels, two, widths);
  EXPECT_THAT(classes.share, Pointwise(DoubleNear(1e-9), binary.share));
  EXPECT_THAT(classes.agreement, Pointwise(DoubleNear(1e-9), binary.agreement));
}

TEST(ColumnUse, OfConstantsIsNotANumber) {
  const torch::Tensor inputs = torch::ones({3, 2});
  const ColumnUse use = column_use(data::TaskLoss::squared_error, inputs, torch::ones({3, 1}),
                                   torch::tensor({1.0F, 2.0F, 3.0F}), torch::ones({1, 2}, torch::kDouble),
                                   std::vector<std::int64_t>{1, 1});
  EXPECT_THAT(use.share, Each(::testing::IsNan()));
  EXPECT_THAT(use.agreement, Each(::testing::IsNan()));
}

TEST(LinearFit, FindsTheWeightsOfALinearModel) {
  const torch::Tensor inputs = drawn({500, 5}, 6);
  const torch::Tensor weights = drawn({2, 5}, 7).to(torch::kDouble);
  const torch::Tensor outputs = torch::matmul(inputs.to(torch::kDouble), weights.t()) - 4.0;
  LinearFit fit(5, 2);
  fit.add(inputs.slice(0, 0, 123), outputs.slice(0, 0, 123));
  fit.add(inputs.slice(0, 123), outputs.slice(0, 123));
  EXPECT_TRUE(torch::allclose(fit.weights(), weights, 1e-6, 1e-6));
}

// The inputs of a category sum to 1. Any of the fits gives the column's part up to a constant.
TEST(LinearFit, DependentInputsDoNotChangeThePartOfTheirColumn) {
  const torch::Tensor codes = torch::arange(300) % 3;
  const torch::Tensor category = torch::one_hot(codes, 3).to(torch::kFloat);
  const torch::Tensor number = drawn({300, 1}, 8);
  const torch::Tensor inputs = torch::cat({category, number}, 1);
  const torch::Tensor weights = torch::tensor({{1.0, -2.0, 4.0, 0.5}}, torch::kDouble);
  const torch::Tensor outputs = torch::matmul(inputs.to(torch::kDouble), weights.t());
  LinearFit fit(4, 1);
  fit.add(inputs, outputs);
  const torch::Tensor found = fit.weights();
  const std::vector<std::int64_t> widths{3, 1};
  const torch::Tensor labels = (drawn({300}, 9) > 0).to(torch::kFloat);
  const auto use_of = [&](const torch::Tensor& w) {
    return column_use(data::TaskLoss::binary_cross_entropy, inputs, outputs, labels, w, widths);
  };
  EXPECT_TRUE(torch::isfinite(found).all().item<bool>());
  EXPECT_THAT(use_of(found).share, Pointwise(DoubleNear(1e-5), use_of(weights).share));
  EXPECT_NEAR(sum_of(use_of(found).share), 1.0, 1e-5);
}

}  // namespace
}  // namespace pair::runs
