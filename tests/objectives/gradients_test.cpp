#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <tuple>

#include "pair/base/numbers.h"
#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "tests/objectives/batches.h"

// How parameters of tests are printed.
namespace pair::data {

void PrintTo(TaskLoss loss, std::ostream* out) {
  *out << to_string(loss);
}

}  // namespace pair::data

// Losses and objectives against their definitions, against autograd's double backward and against central
// finite differences, all in double precision.

namespace pair::objectives::gradients_test {
namespace {

using data::Random;
using data::TaskLoss;
using testing::Batch;
using testing::normal;
using testing::random_batch;

const std::vector<TaskLoss> every_loss = {TaskLoss::binary_cross_entropy, TaskLoss::cross_entropy,
                                          TaskLoss::squared_error};

torch::Tensor gradient_of(const torch::Tensor& value, const torch::Tensor& leaf) {
  const torch::Tensor gradient = torch::autograd::grad({value}, {leaf}, {}, true, false, true)[0];
  return gradient.defined() ? gradient : torch::zeros_like(leaf);
}

// Perturbs one coordinate of leaf at a time.
torch::Tensor finite_differences(const std::function<double()>& value, const torch::Tensor& leaf) {
  constexpr double step = 1e-5;
  torch::Tensor differences = torch::zeros_like(leaf);
  double* const x = leaf.data_ptr<double>();
  for (std::int64_t i = 0; i < leaf.numel(); ++i) {
    const double kept = x[i];
    x[i] = kept + step;
    const double above = value();
    x[i] = kept - step;
    const double below = value();
    x[i] = kept;
    differences.data_ptr<double>()[i] = (above - below) / (2 * step);
  }
  return differences;
}

void expect_close(const torch::Tensor& actual, const torch::Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_TRUE(torch::allclose(actual, expected, tolerance, tolerance)) << actual << "\nshould be\n"
                                                                       << expected;
}

// ---- losses

TEST(Losses, AreWhatTheyAreDefinedToBe) {
  const Batch binary = random_batch(TaskLoss::binary_cross_entropy, {7});
  const torch::Tensor z = binary.logits.select(1, 0);
  expect_close(per_sample_loss(binary.loss, binary.logits, binary.labels),
               (1 + z.exp()).log() - binary.labels * z, 1e-12);
  const Batch classes = random_batch(TaskLoss::cross_entropy, {7});
  expect_close(
      per_sample_loss(classes.loss, classes.logits, classes.labels),
      classes.logits.exp().sum(1).log() - classes.logits.gather(1, classes.labels.unsqueeze(1)).select(1, 0),
      1e-12);
  const Batch real = random_batch(TaskLoss::squared_error, {7});
  expect_close(per_sample_loss(real.loss, real.logits, real.labels),
               (real.logits.select(1, 0) - real.labels).pow(2), 1e-12);
}

TEST(Losses, LogitGradientIsTheDerivativeOfTheLoss) {
  for (const TaskLoss loss : every_loss) {
    const Batch batch = random_batch(loss, {9});
    const torch::Tensor logits = batch.logits.requires_grad_();
    const torch::Tensor total = per_sample_loss(loss, logits, batch.labels).sum();
    expect_close(logit_gradient(loss, logits, batch.labels).detach(), gradient_of(total, logits), 1e-12);
  }
}

TEST(Losses, LogitGradientIsItselfDifferentiable) {
  for (const TaskLoss loss : every_loss) {
    const Batch batch = random_batch(loss, {5});
    Random random(3, "weights");
    const torch::Tensor weights = normal(5, batch.logits.size(1), random);
    const auto value = [&] { return (weights * logit_gradient(loss, batch.logits, batch.labels)).sum(); };
    const torch::Tensor expected = finite_differences([&] { return value().item<double>(); }, batch.logits);
    const torch::Tensor leaf = batch.logits.requires_grad_();
    expect_close(gradient_of(value(), leaf), expected, 1e-7);
  }
}

TEST(Losses, StayFiniteForHugeLogits) {
  const torch::Tensor column = torch::tensor({-1e4, -90.0, 90.0, 1e4}, torch::kFloat32).unsqueeze(1);
  const torch::Tensor ones = torch::ones({4}, torch::kFloat32);
  const torch::Tensor binary = per_sample_loss(TaskLoss::binary_cross_entropy, column, ones);
  EXPECT_TRUE(torch::allclose(binary, torch::tensor({1e4, 90.0, 0.0, 0.0}, torch::kFloat32)));
  EXPECT_GE(binary.min().item<float>(), 0.0F);
  const torch::Tensor pair = torch::cat({column, -column}, 1);
  const torch::Tensor zeros = torch::zeros({4}, torch::kInt64);
  EXPECT_TRUE(per_sample_loss(TaskLoss::cross_entropy, pair, zeros).isfinite().all().item<bool>());
  EXPECT_TRUE(logit_gradient(TaskLoss::cross_entropy, pair, zeros).isfinite().all().item<bool>());
  EXPECT_TRUE(logit_gradient(TaskLoss::binary_cross_entropy, column, ones).isfinite().all().item<bool>());
}

TEST(Losses, RisksAreTheMeansOfTheEnvironments) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4, 4, 4}, {5, 3, 1}}) {
    const Batch batch = random_batch(TaskLoss::binary_cross_entropy, sizes);
    const torch::Tensor losses = per_sample_loss(batch.loss, batch.logits, batch.labels);
    std::int64_t first = 0;
    for (std::size_t e = 0; e < sizes.size(); ++e) {
      EXPECT_NEAR(batch.view().risks[static_cast<std::int64_t>(e)].item<double>(),
                  losses.narrow(0, first, sizes[e]).mean().item<double>(), 1e-14);
      first += sizes[e];
    }
  }
}

// ---- every objective on features and logits

struct Case {
  std::string objective;
  std::vector<std::pair<std::string, std::string>> options = {};
  std::string note = {};
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.objective << c.note;
}

std::unique_ptr<Objective> made(const Case& c) {
  return make_objective(c.objective, options_of(c.objective, c.options));
}

using HeadCase = std::tuple<Case, TaskLoss, std::vector<std::int64_t>>;

std::string name_of(const ::testing::TestParamInfo<HeadCase>& test) {
  const auto& [which, loss, sizes] = test.param;
  return which.objective + which.note + "_" + std::string(data::to_string(loss)) +
         (equal_sizes(sizes) ? "_equal" : "_unequal");
}

class OnTheHead : public ::testing::TestWithParam<HeadCase> {};

TEST_P(OnTheHead, ValueIsNotNegativeAndItsGradientMatchesFiniteDifferences) {
  const auto& [which, loss, sizes] = GetParam();
  const Batch batch = random_batch(loss, sizes);
  const auto value = [&, &which = which, &loss = loss, &sizes = sizes] {
    Random random(5, "objective");
    const auto objective = made(which);
    // The second step, so that what is remembered from the first counts.
    static_cast<void>(objective->value(random_batch(loss, sizes, 2).view(), random));
    return objective->value(batch.view(), random);
  };
  const double here = value().item<double>();
  EXPECT_GE(here, 0.0);
  const auto number = [&] { return value().item<double>(); };
  const torch::Tensor in_features = finite_differences(number, batch.features);
  const torch::Tensor in_logits = finite_differences(number, batch.logits);
  const torch::Tensor features = batch.features.requires_grad_();
  const torch::Tensor logits = batch.logits.requires_grad_();
  const torch::Tensor result = value();
  EXPECT_EQ(result.dim(), 0);
  EXPECT_EQ(result.item<double>(), here);
  expect_close(gradient_of(result, features), in_features, 1e-6);
  expect_close(gradient_of(result, logits), in_logits, 1e-6);
}

const std::vector<std::vector<std::int64_t>> equal_and_unequal = {{4, 4}, {5, 4, 2}};

INSTANTIATE_TEST_SUITE_P(
    Every, OnTheHead,
    ::testing::Combine(
        ::testing::Values(
            Case{"erm"}, Case{"irmv1"}, Case{"irmv1", {{"irmv1_unbiased", "true"}}, "_unbiased_scale"},
            Case{"irmv1", {{"irmv1_unbiased", "true"}, {"irmv1_negative", "shift"}}, "_unbiased_shift"},
            Case{"vrex"}, Case{"ib"}, Case{"fishr"}, Case{"fishr", {{"fishr_mean", "true"}}, "_mean"},
            Case{"sd"}, Case{"coral"}, Case{"mmd"}),
        ::testing::ValuesIn(every_loss), ::testing::ValuesIn(equal_and_unequal)),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfClassifiers, OnTheHead,
    ::testing::Combine(::testing::Values(Case{"clove"}, Case{"clove", {{"clove_batch", "3"}}, "_minibatch"}),
                       ::testing::Values(TaskLoss::binary_cross_entropy, TaskLoss::cross_entropy),
                       ::testing::ValuesIn(equal_and_unequal)),
    name_of);

TEST(GroupDro, GradientMatchesFiniteDifferencesAtFixedWeights) {
  for (const TaskLoss loss : every_loss) {
    const Batch batch = random_batch(loss, {5, 4, 2});
    const auto objective = make_objective("group_dro");
    Random random(5, "objective");
    const torch::Tensor logits = batch.logits.clone().requires_grad_();
    const HeadView view = view_of(batch.features, logits, batch.labels, batch.sizes, loss);
    const torch::Tensor gradient = gradient_of(objective->value(view, random), logits);
    const torch::Tensor weights = objective->state().front().exp();
    expect_close(
        gradient,
        finite_differences([&] { return weights.dot(batch.view().risks).item<double>(); }, batch.logits),
        1e-6);
  }
}

double value_of(const std::string& name, const Batch& batch,
                const std::vector<std::pair<std::string, std::string>>& options = {}) {
  Random random(1, "objective");
  return made({name, options})->value(batch.view(), random).item<double>();
}

// ---- closed forms against what they stand for

// A head on leaves: everything an objective may be differentiated in.
struct Head {
  explicit Head(const Batch& batch) : labels(batch.labels), sizes(batch.sizes), loss(batch.loss) {
    Random random(7, "head");
    features = batch.features.clone().requires_grad_();
    weight = normal(batch.logits.size(1), batch.features.size(1), random).requires_grad_();
    bias = normal(1, batch.logits.size(1), random).select(0, 0).clone().requires_grad_();
  }
  [[nodiscard]] torch::Tensor logits() const { return torch::addmm(bias, features, weight.t()); }
  [[nodiscard]] HeadView view() const { return view_of(features, logits(), labels, sizes, loss); }

  torch::Tensor features, weight, bias, labels;
  std::vector<std::int64_t> sizes;
  TaskLoss loss;
};

void expect_same_function(const torch::Tensor& actual, const torch::Tensor& expected, const Head& head) {
  EXPECT_NEAR(actual.item<double>(), expected.item<double>(), 1e-12 * (1 + expected.item<double>()));
  for (const torch::Tensor& leaf : {head.features, head.weight, head.bias}) {
    expect_close(gradient_of(actual, leaf), gradient_of(expected, leaf), 1e-10);
  }
}

// d/dw of the mean loss of w z, at w = 1, over the rows first, first + stride, ...
torch::Tensor multiplier_derivative(const torch::Tensor& logits, const torch::Tensor& labels, TaskLoss loss,
                                    std::int64_t first = 0, std::int64_t stride = 1) {
  const torch::Tensor multiplier = torch::ones({}, torch::kFloat64).requires_grad_();
  const torch::Tensor losses =
      per_sample_loss(loss, multiplier * logits, labels).slice(0, first, logits.size(0), stride);
  return torch::autograd::grad({losses.mean()}, {multiplier}, {}, true, true)[0];
}

TEST(Irmv1, ClosedFormIsTheDoubleBackwardThroughADummyMultiplier) {
  for (const TaskLoss loss : every_loss) {
    const Head head(random_batch(loss, {6, 5}));
    torch::Tensor expected = torch::zeros({}, torch::kFloat64);
    const HeadView view = head.view();
    const auto logits = view.split(view.logits);
    const auto labels = view.split(view.labels);
    for (std::size_t e = 0; e < 2; ++e) {
      expected = expected + multiplier_derivative(logits[e], labels[e], loss).square() / 2;
    }
    Random random(1, "objective");
    expect_same_function(make_objective("irmv1")->value(view, random), expected, head);
  }
}

TEST(Irmv1, UnbiasedIsTheProductOfTheDerivativesOnTheTwoHalves) {
  for (const TaskLoss loss : every_loss) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Head head(random_batch(loss, {6, 5}, seed));
      const HeadView view = head.view();
      const auto logits = view.split(view.logits);
      const auto labels = view.split(view.labels);
      torch::Tensor estimate = torch::zeros({}, torch::kFloat64);
      for (std::size_t e = 0; e < 2; ++e) {
        estimate = estimate + multiplier_derivative(logits[e], labels[e], loss, 0, 2) *
                                  multiplier_derivative(logits[e], labels[e], loss, 1, 2) / 2;
      }
      const bool negative = estimate.item<double>() < 0;
      const auto with = [](const char* treatment, const char* constant) {
        return made(
            {"irmv1",
             {{"irmv1_unbiased", "true"}, {"irmv1_negative", treatment}, {"irmv1_constant", constant}}});
      };
      Random random(1, "objective");
      expect_same_function(with("scale", "0.3")->value(view, random), negative ? -0.3 * estimate : estimate,
                           head);
      // C large enough: added for either sign. Not large enough: the value stops at 0, the gradient stays.
      expect_same_function(with("shift", "100.0")->value(view, random), estimate + 100.0, head);
      expect_same_function(with("shift", "1e-9")->value(view, random),
                           negative ? estimate - estimate.detach() : estimate + 1e-9, head);
      expect_same_function(with("keep", "1e-9")->value(view, random), estimate, head);
    }
  }
}

TEST(Irmv1, UnbiasedEstimatesTheSquareOfTheMeanWhereThePlainOneAddsTheVariance) {
  const Batch batch = random_batch(TaskLoss::binary_cross_entropy, {8});
  const torch::Tensor derivatives =
      (logit_gradient(batch.loss, batch.logits, batch.labels) * batch.logits).select(1, 0);
  const double sum = derivatives.sum().item<double>();
  const double squares = derivatives.square().sum().item<double>();
  // Over all splits of 8 samples the product of the halves' means averages to that of two distinct samples.
  const double expected = (sum * sum - squares) / (8 * 7);
  const std::vector<std::pair<std::string, std::string>> options = {
      {"irmv1_unbiased", "true"}, {"irmv1_negative", "shift"}, {"irmv1_constant", "10"}};
  Random random(11, "splits");
  double mean = 0.0;
  constexpr int splits = 2000;
  for (int i = 0; i < splits; ++i) {
    const torch::Tensor order = torch::tensor(random.permutation(8), torch::kInt64);
    mean += (value_of("irmv1", batch.rows(order, {8}), options) - 10.0) / splits;
  }
  EXPECT_NEAR(mean, expected, 0.03 * squares / 8);
  EXPECT_NEAR(value_of("irmv1", batch), sum * sum / 64, 1e-12);
  EXPECT_GT(std::abs(sum * sum / 64 - expected), 0.1 * squares / 8);
}

// The variance of each coordinate of the head's gradient over an environment, by one backward pass a sample.
torch::Tensor gradient_variance(const Head& head, std::int64_t first, std::int64_t size) {
  const torch::Tensor logits = head.logits();
  std::vector<torch::Tensor> gradients;
  for (std::int64_t i = first; i < first + size; ++i) {
    const torch::Tensor loss =
        per_sample_loss(head.loss, logits.narrow(0, i, 1), head.labels.narrow(0, i, 1)).sum();
    const auto parts = torch::autograd::grad({loss}, {head.weight, head.bias}, {}, true, true);
    gradients.push_back(torch::cat({parts[0].flatten(), parts[1]}));
  }
  const torch::Tensor all = torch::stack(gradients);
  return (all - all.mean(0)).square().mean(0);
}

torch::Tensor gradient_variances(const Head& head) {
  std::vector<torch::Tensor> variances;
  std::int64_t first = 0;
  for (const std::int64_t size : head.sizes) {
    variances.push_back(gradient_variance(head, first, size));
    first += size;
  }
  return torch::stack(variances);
}

torch::Tensor spread(const torch::Tensor& variances) {
  return (variances - variances.mean(0)).square().sum() / variances.size(0);
}

TEST(Fishr, ClosedFormIsTheVarianceOfPerSampleGradients) {
  for (const TaskLoss loss : every_loss) {
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4, 4}, {5, 3, 4}}) {
      const Head head(random_batch(loss, sizes));
      Random random(1, "objective");
      expect_same_function(make_objective("fishr")->value(head.view(), random),
                           spread(gradient_variances(head)), head);
    }
  }
}

// mean of g^2 = variance + (mean of g)^2; the mean of the head's per-sample gradients is the risk's gradient.
TEST(Fishr, UncentredIsTheSecondMomentOfPerSampleGradients) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4, 4}, {5, 3, 4}}) {
    const Head head(random_batch(TaskLoss::binary_cross_entropy, sizes));
    const HeadView view = head.view();
    std::vector<torch::Tensor> means;
    for (std::int64_t e = 0; e < static_cast<std::int64_t>(sizes.size()); ++e) {
      std::vector<torch::Tensor> pieces =
          torch::autograd::grad({view.risks[e]}, {head.weight, head.bias}, {}, true, true);
      means.push_back(torch::cat({pieces[0].flatten(), pieces[1].flatten()}));
    }
    const torch::Tensor moments = gradient_variances(head) + torch::stack(means).square();
    Random random(1, "objective");
    const auto objective = made({"fishr", {{"fishr_centred", "false"}, {"fishr_ema", "0"}}});
    EXPECT_NEAR(objective->value(view, random).item<double>(), spread(moments).item<double>(), 1e-12);
    EXPECT_GT(std::abs(spread(moments).item<double>() - spread(gradient_variances(head)).item<double>()),
              1e-6);
  }
}

TEST(Fishr, MovingAverageRunsOverTheSteps) {
  constexpr double gamma = 0.7;
  const auto objective = made({"fishr", {{"fishr_ema", base::shown(gamma)}}});
  Random random(1, "objective");
  torch::Tensor average;
  for (std::uint64_t step = 1; step <= 5; ++step) {
    const Head head(random_batch(TaskLoss::cross_entropy, {4, 6}, step));
    const torch::Tensor now = gradient_variances(head);
    const torch::Tensor past = average.defined() ? average : torch::zeros_like(now);
    const torch::Tensor smoothed = gamma * past + (1 - gamma) * now;
    expect_same_function(objective->value(head.view(), random), spread(smoothed / (1 - gamma)), head);
    average = smoothed.detach();
    ASSERT_EQ(objective->state().size(), 1U);
  }
}

TEST(Iga, IsTheTraceOfTheVarianceOfTheRisksGradients) {
  for (const TaskLoss loss : every_loss) {
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4, 4}, {5, 3, 4}}) {
      const Batch batch = random_batch(loss, sizes);
      Random random(9, "network");
      const torch::Tensor first = normal(4, 3, random).requires_grad_();
      const torch::Tensor second = normal(batch.logits.size(1), 4, random).requires_grad_();
      const torch::Tensor idle = torch::ones({2}, torch::kFloat64).requires_grad_();
      const auto view = [&] {
        const torch::Tensor features = torch::tanh(batch.features.mm(first.t()));
        HeadView made = view_of(features, features.mm(second.t()), batch.labels, sizes, loss);
        made.parameters = {first, idle, second};
        return made;
      };
      const auto objective = make_objective("iga");
      EXPECT_TRUE(objective->needs_network());
      const HeadView here = view();
      const torch::Tensor value = objective->value(here, random);

      std::vector<torch::Tensor> gradients;
      for (std::size_t e = 0; e < sizes.size(); ++e) {
        const auto parts = torch::autograd::grad({here.risks[static_cast<std::int64_t>(e)]}, {first, second},
                                                 {}, true, true);
        gradients.push_back(torch::cat({parts[0].flatten(), parts[1].flatten()}));
      }
      const torch::Tensor expected = spread(torch::stack(gradients));
      EXPECT_NEAR(value.item<double>(), expected.item<double>(), 1e-12);
      for (const torch::Tensor& leaf : {first, second}) {
        expect_close(gradient_of(value, leaf), gradient_of(expected, leaf), 1e-10);
        const torch::Tensor differences = finite_differences(
            [&] { return objective->value(view(), random).item<double>(); }, leaf.detach());
        expect_close(gradient_of(value, leaf), differences, 1e-6);
      }
    }
  }
}

// ---- the others against their definitions, sample by sample

TEST(Definitions, ErmVrexAndSdAreSimpleStatistics) {
  const Batch batch = random_batch(TaskLoss::squared_error, {3, 2, 4});
  const torch::Tensor risks = batch.view().risks;
  EXPECT_NEAR(value_of("erm", batch), risks.mean().item<double>(), 1e-14);
  EXPECT_NEAR(value_of("vrex", batch), (risks - risks.mean()).square().sum().item<double>() / 2, 1e-12);
  EXPECT_NEAR(value_of("sd", batch), batch.logits.square().mean().item<double>(), 1e-14);
}

TEST(Definitions, IbIsTheVarianceOfFeaturesWithinEnvironments) {
  const Batch batch = random_batch(TaskLoss::binary_cross_entropy, {3, 5});
  double expected = 0.0;
  for (const torch::Tensor& features : batch.view().split(batch.features)) {
    expected += (features - features.mean(0)).square().sum().item<double>() /
                static_cast<double>(features.size(0) - 1) / 3 / 2;
  }
  EXPECT_NEAR(value_of("ib", batch), expected, 1e-12);
  // Shifting one environment's features as a whole changes nothing.
  batch.features.narrow(0, 0, 3).add_(10.0);
  EXPECT_NEAR(value_of("ib", batch), expected, 1e-12);
}

TEST(Definitions, CloveIsTheKernelCalibrationError) {
  for (const TaskLoss loss : {TaskLoss::binary_cross_entropy, TaskLoss::cross_entropy}) {
    const Batch batch = random_batch(loss, {4, 3});
    torch::Tensor probabilities = torch::softmax(batch.logits, 1);
    if (loss == TaskLoss::binary_cross_entropy) {
      const torch::Tensor p = torch::sigmoid(batch.logits);
      probabilities = torch::cat({1 - p, p}, 1);
    }
    double expected = 0.0;
    for (const auto& [first, size] : {std::pair{0, 4}, std::pair{4, 3}}) {
      for (int i = first; i < first + size; ++i) {
        for (int j = first; j < first + size; ++j) {
          const auto confidence = [&](int s) { return probabilities[s].max().item<double>(); };
          const auto gap = [&](int s) {
            const bool right = probabilities[s].argmax().item<std::int64_t>() ==
                               static_cast<std::int64_t>(batch.labels[s].item<double>());
            return (right ? 1.0 : 0.0) - confidence(s);
          };
          expected +=
              gap(i) * gap(j) * std::exp(-std::abs(confidence(i) - confidence(j)) / 0.4) / (size * size) / 2;
        }
      }
    }
    EXPECT_NEAR(value_of("clove", batch), expected, 1e-12);
  }
}

TEST(Definitions, CoralIsTheDistanceOfMeansAndCovariances) {
  const Batch batch = random_batch(TaskLoss::cross_entropy, {4, 3, 5});
  const auto features = batch.view().split(batch.features);
  const auto covariance = [](const torch::Tensor& x) {
    torch::Tensor sum = torch::zeros({3, 3}, torch::kFloat64);
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      const torch::Tensor deviation = x[i] - x.mean(0);
      sum = sum + torch::outer(deviation, deviation) / (x.size(0) - 1);
    }
    return sum;
  };
  double expected = 0.0;
  for (const auto& [i, j] : {std::pair{0U, 1U}, std::pair{0U, 2U}, std::pair{1U, 2U}}) {
    const torch::Tensor means = (features[i].mean(0) - features[j].mean(0)).square();
    const torch::Tensor covariances = (covariance(features[i]) - covariance(features[j])).square();
    expected += (means.sum().item<double>() / 3 + covariances.sum().item<double>() / 9) / 3;
  }
  EXPECT_NEAR(value_of("coral", batch), expected, 1e-12);
}

TEST(Definitions, MmdIsTheDistanceInSevenGaussianKernels) {
  const Batch batch = random_batch(TaskLoss::cross_entropy, {4, 3});
  const auto features = batch.view().split(batch.features);
  const auto mean_kernel = [](const torch::Tensor& x, const torch::Tensor& y) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      for (std::int64_t j = 0; j < y.size(0); ++j) {
        const double distance = (x[i] - y[j]).square().sum().item<double>();
        for (const double gamma : {1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3}) {
          sum += std::exp(-gamma * distance);
        }
      }
    }
    return sum / static_cast<double>(x.size(0) * y.size(0));
  };
  EXPECT_NEAR(value_of("mmd", batch),
              mean_kernel(features[0], features[0]) + mean_kernel(features[1], features[1]) -
                  2 * mean_kernel(features[0], features[1]),
              1e-10);
}

TEST(Definitions, FishrsMeanIsItsSumOverTheHeadsParameters) {
  const Batch batch = random_batch(TaskLoss::cross_entropy, {4, 3});
  EXPECT_NEAR(value_of("fishr", batch, {{"fishr_mean", "true"}}), value_of("fishr", batch) / (3 * (3 + 1)),
              1e-12);
}

}  // namespace
}  // namespace pair::objectives::gradients_test
