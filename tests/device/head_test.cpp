#include "pair/device/head.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <array>
#include <cmath>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tests/device/reference.h"

// Against torch's operations and autograd. Skipped where there is no device.

namespace pair::device::head_test {
namespace {

using testing::expect_close;
using torch::autograd::grad;

struct Shape {
  Loss loss;
  std::int64_t outputs;
  std::int64_t width;
  std::int64_t environments;
  std::int64_t rows;  // an environment
};

// How GoogleTest shows it.
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << (shape.loss == Loss::squared_error   ? "squared error"
           : shape.loss == Loss::cross_entropy ? "cross-entropy"
                                               : "binary cross-entropy")
       << ", " << shape.outputs << " outputs of " << shape.width << " features, " << shape.environments
       << " environments of " << shape.rows;
}

using Kind = MomentFunction::Kind;
using Negative = MomentFunction::Negative;

constexpr std::array functions = {MomentFunction{Kind::mean_risk},
                                  MomentFunction{Kind::mean_squared_derivative},
                                  MomentFunction{Kind::risk_variance}};

// A featurizer's last ReLU and the head, on the CPU, with the objectives that come of them.
struct Reference {
  // opposed: labels such that the derivatives of samples at even places are negative, and at odd ones
  // positive.
  explicit Reference(const Shape& shape, bool opposed = false) {
    const std::int64_t all = shape.environments * shape.rows;
    const auto numbers = [](at::IntArrayRef sizes, double by) {
      std::int64_t count = 1;
      for (const std::int64_t size : sizes) {
        count *= size;
      }
      return (torch::arange(count, torch::kDouble) * by).sin().to(torch::kFloat).view(sizes);
    };
    before = numbers({all, shape.width}, 0.37).to(torch::kDouble).requires_grad_(true);
    weight = (numbers({shape.outputs, shape.width}, 0.71) * 0.3).to(torch::kDouble).requires_grad_(true);
    bias = numbers({shape.outputs}, 1.3).to(torch::kDouble).requires_grad_(true);
    features = before.relu();
    logits = torch::mm(features, weight.t()) + bias;
    if (opposed) {
      labels = opposed_labels(shape);
    } else {
      labels = torch::arange(all) * 7 % 11 % (shape.outputs == 1 ? 2 : shape.outputs);
      labels = shape.loss == Loss::cross_entropy ? labels : labels.to(torch::kFloat);
    }
    const torch::Tensor factor = torch::ones({shape.environments, 1, 1}, torch::kDouble).requires_grad_(true);
    const torch::Tensor scaled = (logits.view({shape.environments, shape.rows, -1}) * factor).view_as(logits);
    const torch::Tensor risks =
        testing::sample_losses(shape.loss, scaled, labels).view({shape.environments, shape.rows}).mean(1);
    const torch::Tensor derivatives = grad({risks.sum()}, {factor}, {}, true, true)[0].flatten();
    values = {risks.mean(), derivatives.square().mean(),
              shape.environments > 1 ? risks.var(/*unbiased=*/true) : 0.0 * risks.sum()};

    // Each sample's derivative in its own factor, and their means over halves.
    const torch::Tensor own = torch::ones({all, 1}, torch::kDouble).requires_grad_(true);
    const torch::Tensor sum = testing::sample_losses(shape.loss, logits * own, labels).sum();
    const torch::Tensor samples =
        grad({sum}, {own}, {}, true, true)[0].view({shape.environments, shape.rows});
    if (shape.rows > 1) {
      const torch::Tensor products =
          samples.slice(1, 0, shape.rows, 2).mean(1) * samples.slice(1, 1, shape.rows, 2).mean(1);
      product_of_halves = products.mean();
      size_of_product = products.abs().mean().item<double>();
    }
  }

  [[nodiscard]] torch::Tensor opposed_labels(const Shape& shape) const {
    const torch::Tensor even = torch::arange(logits.size(0)) % shape.rows % 2 == 0;
    const torch::Tensor z = logits.detach();
    if (shape.loss == Loss::cross_entropy) {
      return torch::where(even, z.argmax(1), z.argmin(1));
    }
    const torch::Tensor first = z.select(1, 0);
    if (shape.loss == Loss::squared_error) {
      return torch::where(even, 2.0 * first, torch::zeros_like(first)).to(torch::kFloat);
    }
    return (even == (first > 0)).to(torch::kFloat);
  }

  // The gradient of an objective in `of`, flat.
  [[nodiscard]] torch::Tensor gradient(std::size_t k, const std::vector<torch::Tensor>& of) const {
    return gradient(values[k], of);
  }
  [[nodiscard]] static torch::Tensor gradient(const torch::Tensor& value,
                                              const std::vector<torch::Tensor>& of) {
    std::vector<torch::Tensor> flat;
    for (const torch::Tensor& piece : grad({value}, of, {}, /*retain_graph=*/true)) {
      flat.push_back(piece.flatten());
    }
    return torch::cat(flat);
  }

  [[nodiscard]] Head head(const Shape& shape) const {
    const auto there = [](const torch::Tensor& tensor) {
      return tensor.detach().to(torch::kCUDA, torch::kFloat);
    };
    return {shape.loss, there(features), labels.cuda(), there(weight), there(bias), shape.environments};
  }

  torch::Tensor before;
  torch::Tensor features;
  torch::Tensor weight;
  torch::Tensor bias;
  torch::Tensor labels;
  torch::Tensor logits;
  std::vector<torch::Tensor> values;
  torch::Tensor product_of_halves;  // undefined of single samples
  double size_of_product = 0.0;     // were all of one sign
};

class AtTheHead : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "no CUDA device here";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(
    Shapes, AtTheHead,
    ::testing::Values(Shape{Loss::binary_cross_entropy, 1, 8, 2, 5},
                      Shape{Loss::binary_cross_entropy, 1, 256, 2, 25000},
                      Shape{Loss::binary_cross_entropy, 1, 132, 3, 1},
                      Shape{Loss::binary_cross_entropy, 1, 64, 16, 70},
                      Shape{Loss::squared_error, 1, 512, 1, 77}, Shape{Loss::squared_error, 1, 260, 3, 401},
                      Shape{Loss::cross_entropy, 2, 128, 2, 64}, Shape{Loss::cross_entropy, 2, 256, 2, 33},
                      Shape{Loss::cross_entropy, 2, 20, 3, 9000}, Shape{Loss::cross_entropy, 10, 128, 2, 150},
                      Shape{Loss::cross_entropy, 10, 64, 2, 9000}),
    [](const auto& one) {
      const Shape& shape = one.param;
      return std::to_string(shape.outputs) + "x" + std::to_string(shape.width) + "_" +
             std::to_string(shape.environments) + "x" + std::to_string(shape.rows);
    });

TEST_P(AtTheHead, LossesAndGradientsAreAutograds) {
  const Shape& shape = GetParam();
  const Reference reference(shape);
  const torch::Tensor also = torch::tensor({3.0, -4.0}, torch::kDouble);
  ASSERT_TRUE(takes_head(reference.head(shape).weight, shape.environments, shape.rows, functions));
  const AtHead at = at_head(reference.head(shape), functions, also.cuda());
  expect_close(at.logits, reference.logits);

  const auto m = static_cast<std::int64_t>(functions.size());
  ASSERT_EQ(at.readings.numel(), m + m * m + 2);
  std::vector<torch::Tensor> rows;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const auto at_k = static_cast<std::int64_t>(k);
    // A variance is the small difference of risks that agree.
    expect_close(at.readings[at_k], reference.values[k], 1e-4);
    rows.push_back(reference.gradient(k, {reference.weight, reference.bias}));
    expect_close(at.by_head[at_k], rows.back(), 1e-4);
  }
  const torch::Tensor gram = torch::mm(torch::stack(rows), torch::stack(rows).t());
  for (std::int64_t i = 0; i < m * m; ++i) {
    EXPECT_NEAR(at.readings[m + i].item<double>(), gram.flatten()[i].item<double>(),
                1e-4 * std::sqrt(gram[i / m][i / m].item<double>() * gram[i % m][i % m].item<double>()))
        << i;
  }
  EXPECT_TRUE(torch::equal(at.readings.narrow(0, m + m * m, 2).cpu(), also));
}

// The slopes are those at the averages, and the gradients of the moments those of the batch. Against the
// kernel without averages, whose by_moments and by_head are checked above: V-REx's slopes are linear in the
// risks.
TEST_P(AtTheHead, AveragesTakeThePlaceOfTheMoments) {
  const Shape& shape = GetParam();
  const Head head = Reference(shape).head(shape);
  Head other = head;
  other.weight = head.weight * 0.5;
  const torch::TensorOptions doubles = torch::TensorOptions(torch::kDouble).device(torch::kCUDA);
  const std::int64_t e = shape.environments;
  const MomentAverages averages{.steps = torch::zeros({1}, doubles),
                                .averages = torch::zeros({2, e}, doubles),
                                .squares = torch::zeros({2, e}, doubles),
                                .window = 3.0,
                                .squares_window = 4.0};
  const AtHead first = at_head(head, functions, {}, &averages);
  const AtHead plain = at_head(head, functions, {});
  expect_close(first.readings, plain.readings, 1e-6);
  const torch::Tensor m1 = averages.averages.clone();
  const torch::Tensor s1 = averages.squares.clone();
  expect_close(s1, m1.square(), 1e-6);

  const AtHead second = at_head(other, functions, {}, &averages);
  const MomentAverages alone{.steps = torch::zeros({1}, doubles),
                             .averages = torch::zeros({2, e}, doubles),
                             .squares = torch::zeros({2, e}, doubles)};
  (void)at_head(other, functions, {}, &alone);
  const torch::Tensor m2 = alone.averages;  // the moments of that batch
  expect_close(averages.averages, (m1 + m2) / 2, 1e-9);
  expect_close(averages.squares, (m2 - m1).square(), 1e-9);
  EXPECT_EQ(averages.steps.item<double>(), 2.0);
  expect_close(second.readings[0], averages.averages[0].mean(), 1e-9);
  expect_close(second.readings[1], averages.averages[1].square().mean(), 1e-9);
  expect_close(second.by_moments[1].narrow(0, e, e), 2.0 * averages.averages[1] / static_cast<double>(e),
               1e-9);

  // A third and a fourth batch: the windows are full, of 3 and 4 steps.
  (void)at_head(head, functions, {}, &averages);
  const torch::Tensor m3 = averages.averages.clone();
  const torch::Tensor s3 = averages.squares.clone();
  (void)at_head(other, functions, {}, &averages);
  expect_close(averages.averages, m3 + (m2 - m3) / 3.0, 1e-9);
  expect_close(averages.squares, s3 + ((m2 - m3).square() - s3) / 3.0, 1e-9);

  // A batch that is not finite is left out of the averages, and its gradient is not finite.
  other.features = head.features.clone().fill_(std::numeric_limits<float>::quiet_NaN());
  const torch::Tensor kept = averages.averages.clone();
  const AtHead bad = at_head(other, functions, {}, &averages);
  EXPECT_TRUE(torch::equal(averages.averages, kept));
  EXPECT_TRUE(std::isnan(bad.by_head[0][0].item<double>()));
}

TEST_P(AtTheHead, TheBackwardPassEqualsAutograds) {
  const Shape& shape = GetParam();
  const Reference reference(shape);
  const AtHead at = at_head(reference.head(shape), functions, {});
  for (const std::vector<double>& weights :
       {std::vector{1.0, 0.0, 0.0}, std::vector{0.2, 3.0, 5.0}, std::vector{0.0, 1.0, 0.0}}) {
    SCOPED_TRACE(weights[0]);
    const auto expected = [&](const std::vector<torch::Tensor>& of) {
      torch::Tensor sum;
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const torch::Tensor term = weights[k] * reference.gradient(k, of);
        sum = sum.defined() ? sum + term : term;
      }
      return sum;
    };
    const torch::Tensor there = torch::tensor(weights, torch::kDouble).cuda();
    const torch::Tensor at_head = expected({reference.weight, reference.bias});
    const torch::Tensor at_features = expected({reference.features}).view_as(reference.features);
    const torch::Tensor before = expected({reference.before}).view_as(reference.before);

    const HeadGradient none = back_from_head(at, there, FeatureGradient::none);
    expect_close(none.head, at_head, 1e-4);
    EXPECT_FALSE(none.features.defined());

    const HeadGradient plain = back_from_head(at, there, FeatureGradient::plain);
    expect_close(plain.head, at_head, 1e-4);
    expect_close(plain.features, at_features, 1e-4);
    EXPECT_FALSE(plain.sums.defined());

    const HeadGradient rectified = back_from_head(at, there, FeatureGradient::rectified);
    expect_close(rectified.head, at_head, 1e-4);
    expect_close(rectified.features, before, 1e-4);
    expect_close(rectified.sums, before.sum(0), 1e-4);
  }
}

TEST_P(AtTheHead, ALossThatIsNotFiniteIsReported) {
  const Shape& shape = GetParam();
  Head head = Reference(shape).head(shape);
  head.features[0].fill_(std::numeric_limits<float>::quiet_NaN());
  const AtHead at = at_head(head, functions, {});
  EXPECT_TRUE(std::isnan(at.readings[0].item<double>()));
  EXPECT_TRUE(std::isnan(at.readings[3].item<double>())) << "of the Gram matrix";
}

TEST_P(AtTheHead, AnInvalidClassGivesNaN) {
  const Shape& shape = GetParam();
  if (shape.loss != Loss::cross_entropy) {
    return;
  }
  Head head = Reference(shape).head(shape);
  head.labels[0] = shape.outputs;
  EXPECT_TRUE(std::isnan(at_head(head, functions, {}).readings[0].item<double>()));
}

TEST_P(AtTheHead, WhatHasNoWeightCountsForNothing) {
  const Shape& shape = GetParam();
  AtHead at = at_head(Reference(shape).head(shape), functions, {});
  at.by_head[1].fill_(std::numeric_limits<float>::infinity());
  at.by_moments[1].fill_(std::numeric_limits<double>::infinity());
  const HeadGradient found =
      back_from_head(at, torch::tensor({1.0, 0.0, 1.0}, torch::kDouble).cuda(), FeatureGradient::rectified);
  EXPECT_TRUE(found.head.isfinite().all().item<bool>());
  EXPECT_TRUE(found.features.isfinite().all().item<bool>());
}

// For such a logit, the derivative in a factor is NaN, but the risk's slope is finite.
TEST_P(AtTheHead, ARiskAloneGoesBackThroughALogitWithoutBound) {
  const Shape& shape = GetParam();
  if (shape.loss != Loss::cross_entropy) {
    return;
  }
  AtHead at = at_head(Reference(shape).head(shape), functions, {});
  at.head.labels.fill_(0);
  at.logits.select(1, 1).fill_(-std::numeric_limits<float>::infinity());
  const HeadGradient found =
      back_from_head(at, torch::tensor({1.0, 0.0, 0.0}, torch::kDouble).cuda(), FeatureGradient::plain);
  EXPECT_TRUE(found.features.isfinite().all().item<bool>());
}

TEST_P(AtTheHead, DerivativesOfHalvesAreAutograds) {
  const Shape& shape = GetParam();
  for (const bool opposed : {false, true}) {
    const Reference reference(shape, opposed);
    const Head head = reference.head(shape);
    const torch::Tensor& product = reference.product_of_halves;
    if (opposed && product.defined()) {
      ASSERT_LT(product.item<double>(), 0.0);
    }
    for (const MomentFunction function :
         {MomentFunction{Kind::mean_product_of_halves},
          MomentFunction{Kind::mean_product_of_halves, Negative::scale, 0.01},
          MomentFunction{Kind::mean_product_of_halves, Negative::shift, 1e-9},
          MomentFunction{Kind::mean_product_of_halves, Negative::shift, 1e3}}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(function.negative)) + " by " +
                   std::to_string(function.constant) + (opposed ? ", opposed" : ""));
      const std::array some = {MomentFunction{Kind::mean_risk}, function};
      const bool taken = takes_head(head.weight, shape.environments, shape.rows, some);
      EXPECT_EQ(taken, shape.rows > 1 && shape.outputs <= 2);
      if (!taken) {
        continue;
      }
      torch::Tensor value = product;
      if (function.negative == Negative::scale) {
        value = torch::maximum(product, -function.constant * product);
      } else if (function.negative == Negative::shift) {
        value = product + (-product.detach()).clamp_min(function.constant);
      }
      const AtHead at = at_head(head, some, {});
      expect_close(at.readings[0], reference.values[0]);
      EXPECT_NEAR(at.readings[1].item<double>(), value.item<double>(), 1e-5 * reference.size_of_product);
      const torch::Tensor expected = Reference::gradient(value, {reference.weight, reference.bias});
      expect_close(at.by_head[1], expected, 1e-4);

      const HeadGradient back =
          back_from_head(at, torch::tensor({0.0, 2.0}, torch::kDouble).cuda(), FeatureGradient::rectified);
      expect_close(back.head, 2.0 * expected, 1e-4);
      const torch::Tensor before =
          2.0 * Reference::gradient(value, {reference.before}).view_as(reference.before);
      expect_close(back.features, before, 1e-4);
      expect_close(back.sums, before.sum(0), 1e-4);
    }
  }
}

// As many objectives as there are kernels for.
TEST_P(AtTheHead, OneToFourObjectives) {
  const Shape& shape = GetParam();
  const Head head = Reference(shape).head(shape);
  const std::array four = {functions[0], functions[1], functions[2], functions[0]};
  const AtHead all = at_head(head, four, {});
  for (std::int64_t m = 1; m <= 4; ++m) {
    const AtHead some = at_head(head, std::span(four).first(static_cast<std::size_t>(m)), {});
    EXPECT_TRUE(torch::equal(some.readings.narrow(0, 0, m), all.readings.narrow(0, 0, m))) << m;
    EXPECT_TRUE(torch::equal(some.readings.narrow(0, m, m * m).view({m, m}),
                             all.readings.narrow(0, 4, 16).view({4, 4}).slice(0, 0, m).slice(1, 0, m)))
        << m;
    EXPECT_TRUE(torch::equal(some.by_head, all.by_head.slice(0, 0, m))) << m;
  }
}

TEST(TakesHead, WhatThereAreKernelsFor) {
  EXPECT_FALSE(takes_head(torch::zeros({1, 256}), 2, 9, functions)) << "on the CPU";
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device here";
  }
  const auto weight = [](std::int64_t outputs, std::int64_t width) {
    return torch::zeros({outputs, width}, torch::kCUDA);
  };
  EXPECT_TRUE(takes_head(weight(1, 256), 2, 9, functions));
  EXPECT_FALSE(takes_head(weight(1, 516), 2, 9, functions));
  EXPECT_FALSE(takes_head(weight(1, 255), 2, 9, functions));
  EXPECT_FALSE(takes_head(weight(3, 128), 2, 9, functions));
  EXPECT_FALSE(takes_head(weight(1, 256), 17, 9, functions));
  EXPECT_FALSE(takes_head(weight(1, 256).to(torch::kDouble), 2, 9, functions));
  EXPECT_FALSE(takes_head(weight(1, 256), 2, 9, {}));
  EXPECT_FALSE(takes_head(weight(1, 256), 2, 9, std::vector<MomentFunction>(5)));
  const std::array halves = {MomentFunction{Kind::mean_product_of_halves}};
  EXPECT_TRUE(takes_head(weight(2, 128), 2, 2, halves));
  EXPECT_FALSE(takes_head(weight(2, 128), 2, 1, halves));
  EXPECT_FALSE(takes_head(weight(10, 128), 2, 2, halves));
  const std::array both = {MomentFunction{Kind::mean_product_of_halves},
                           MomentFunction{Kind::mean_squared_derivative}};
  EXPECT_FALSE(takes_head(weight(2, 128), 2, 2, both));
}

}  // namespace
}  // namespace pair::device::head_test
