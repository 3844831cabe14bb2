#include "pair/models/batch_norm.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/random.h"

namespace pair::models::batch_norm_test {
namespace {

torch::Tensor drawn(at::IntArrayRef shape, data::Random& random) {
  torch::Tensor tensor = torch::empty(shape);
  auto* const values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(random.normal());
  }
  return tensor;
}

torch::nn::BatchNorm2d drawn_norm(std::int64_t channels, data::Random& random) {
  torch::nn::BatchNorm2d norm(channels);
  const torch::NoGradGuard no_graph;
  norm->weight.copy_(drawn({channels}, random));
  norm->bias.copy_(drawn({channels}, random));
  norm->running_mean.copy_(drawn({channels}, random));
  return norm;
}

TEST(BatchNormRelu, IsNormResidualAndReluInBothModes) {
  data::Random random(1, "test");
  torch::nn::BatchNorm2d norm = drawn_norm(8, random);
  torch::nn::BatchNorm2d plain(8);
  {
    const torch::NoGradGuard no_graph;
    plain->weight.copy_(norm->weight);
    plain->bias.copy_(norm->bias);
    plain->running_mean.copy_(norm->running_mean);
  }
  const torch::Tensor images = drawn({3, 8, 5, 4}, random);
  const torch::Tensor residual = drawn({3, 8, 5, 4}, random);
  for (const bool training : {true, false}) {
    norm->train(training);
    plain->train(training);
    EXPECT_TRUE(batch_norm_relu(norm, images).equal(plain->forward(images).relu()));
    EXPECT_TRUE(batch_norm_relu(norm, images, residual).equal((plain->forward(images) + residual).relu()));
    EXPECT_TRUE(norm->running_var.equal(plain->running_var));
    EXPECT_EQ(norm->num_batches_tracked.item<std::int64_t>(), 2);
  }
}

// The kernels against torch's operations on the host. Skipped without a device.
class BatchNormKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "no CUDA device here";
    }
  }
};

struct Passes {
  torch::Tensor result;
  std::vector<torch::Tensor> gradients;   // of x, gamma, beta and, if there is one, the residual
  std::vector<torch::Tensor> statistics;  // the running ones
};

// The forward and the backward pass of images that are rounded to the type.
Passes passes(torch::nn::BatchNorm2d norm, const torch::Tensor& images, const torch::Tensor& residual,
              const torch::Tensor& slopes, torch::Device device, torch::ScalarType type) {
  const auto placed = [&](const torch::Tensor& tensor) {
    return tensor.to(device, type).contiguous(at::MemoryFormat::ChannelsLast);
  };
  norm->to(device, type == torch::kDouble ? type : torch::kFloat);
  const torch::Tensor x = placed(images).detach().requires_grad_(true);
  std::vector<torch::Tensor> inputs{x, norm->weight, norm->bias};
  torch::Tensor added;
  if (residual.defined()) {
    added = placed(residual).detach().requires_grad_(true);
    inputs.push_back(added);
  }
  const torch::Tensor result = batch_norm_relu(norm, x, added);
  EXPECT_EQ(result.scalar_type(), type);
  return {result.detach(),
          torch::autograd::grad({result}, inputs, {placed(slopes)}),
          {norm->running_mean, norm->running_var}};
}

double apart(const torch::Tensor& expected, const torch::Tensor& actual) {
  const torch::Tensor other = actual.to(torch::kCPU, expected.scalar_type());
  return ((expected - other).norm() / expected.norm().clamp_min(1e-30)).item<double>();
}

void expect_the_hosts(at::IntArrayRef shape, double offset, bool with_residual, torch::ScalarType type,
                      double most) {
  SCOPED_TRACE(testing::Message() << shape << ' ' << type << ' ' << offset << ' ' << with_residual);
  data::Random random(7, "test");
  const auto rounded = [type](const torch::Tensor& tensor) { return tensor.to(type).to(torch::kFloat); };
  const torch::Tensor images = rounded(drawn(shape, random) + offset);
  const torch::Tensor residual = with_residual ? rounded(drawn(shape, random)) : torch::Tensor();
  const torch::Tensor slopes = rounded(drawn(shape, random));
  data::Random same(8, "test");
  data::Random again(8, "test");
  const Passes expected =
      passes(drawn_norm(shape[1], same), images, residual, slopes, torch::kCPU, torch::kDouble);
  const Passes actual = passes(drawn_norm(shape[1], again), images, residual, slopes, torch::kCUDA, type);
  EXPECT_LT(apart(expected.result, actual.result), most);
  ASSERT_EQ(actual.gradients.size(), expected.gradients.size());
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    EXPECT_LT(apart(expected.gradients[i], actual.gradients[i]), most) << "gradient " << i;
  }
  for (std::size_t i = 0; i < expected.statistics.size(); ++i) {
    EXPECT_LT(apart(expected.statistics[i], actual.statistics[i]), 1e-5) << "statistic " << i;
  }
}

TEST_F(BatchNormKernels, AreTheHostsOperations) {
  const std::vector<std::vector<std::int64_t>> shapes{{3, 4, 2, 2},    {2, 12, 3, 5},   {4, 64, 7, 5},
                                                      {2, 96, 9, 9},   {5, 2048, 7, 7}, {6, 256, 1, 1},
                                                      {16, 64, 56, 56}};
  for (const auto& shape : shapes) {
    for (const bool with_residual : {false, true}) {
      // Among many numbers, some are so close to 0 that rounding decides whether the ReLU passes them.
      expect_the_hosts(shape, 0.0, with_residual, torch::kFloat, shape[2] > 50 ? 2e-3 : 2e-5);
      expect_the_hosts(shape, 0.0, with_residual, torch::kHalf, 1e-3);
      expect_the_hosts(shape, 0.0, with_residual, torch::kBFloat16, 6e-3);
    }
  }
}

TEST_F(BatchNormKernels, DoNotLoseTheVarianceNextToALargeMean) {
  expect_the_hosts({8, 32, 14, 14}, 1000.0, false, torch::kFloat, 1e-3);
}

TEST_F(BatchNormKernels, DoNotDependOnOneNumberFarFromTheOthers) {
  data::Random random(3, "test");
  torch::Tensor images = torch::zeros({4, 8, 56, 56});
  images[0][3][0][0] = 5.0F;  // the first number of its channel
  images.select(1, 4).copy_(drawn({4, 56, 56}, random));
  images[0][4][0][0] = 600.0F;
  data::Random same(8, "test");
  data::Random again(8, "test");
  const torch::Tensor slopes = drawn({4, 8, 56, 56}, random);
  const Passes expected = passes(drawn_norm(8, same), images, {}, slopes, torch::kCPU, torch::kDouble);
  const Passes actual = passes(drawn_norm(8, again), images, {}, slopes, torch::kCUDA, torch::kFloat);
  EXPECT_TRUE(torch::allclose(expected.statistics[1], actual.statistics[1].cpu().to(torch::kDouble), 1e-3));
}

TEST_F(BatchNormKernels, GiveTheSameBitsAgain) {
  data::Random random(3, "test");
  const torch::Tensor images = drawn({8, 96, 28, 28}, random);
  data::Random same(8, "test");
  data::Random again(8, "test");
  const Passes first = passes(drawn_norm(96, same), images, images, images, torch::kCUDA, torch::kBFloat16);
  const Passes second = passes(drawn_norm(96, again), images, images, images, torch::kCUDA, torch::kBFloat16);
  EXPECT_TRUE(first.result.equal(second.result));
  for (std::size_t i = 0; i < first.gradients.size(); ++i) {
    EXPECT_TRUE(first.gradients[i].equal(second.gradients[i]));
  }
}

TEST_F(BatchNormKernels, KeepWhatIsNotANumber) {
  data::Random random(3, "test");
  torch::Tensor images = drawn({2, 8, 4, 4}, random);
  images[1][5][2][2] = std::numeric_limits<float>::quiet_NaN();
  const Passes made = passes(drawn_norm(8, random), images, {}, images, torch::kCUDA, torch::kFloat);
  const torch::Tensor broken = made.result.isnan().cpu();
  EXPECT_TRUE(broken.select(1, 5).all().item<bool>());
  EXPECT_EQ(broken.sum().item<std::int64_t>(), 2 * 4 * 4);
}

TEST_F(BatchNormKernels, CanBeDifferentiatedTwice) {
  data::Random random(5, "test");
  const torch::Tensor images = drawn({3, 8, 4, 4}, random);
  const auto slope_of_penalty = [&images](torch::Device device) {
    data::Random parameters(8, "test");
    torch::nn::BatchNorm2d norm = drawn_norm(8, parameters);
    norm->to(device);
    const torch::Tensor x =
        images.to(device).contiguous(at::MemoryFormat::ChannelsLast).detach().requires_grad_(true);
    const torch::Tensor result = batch_norm_relu(norm, x, x);
    const torch::Tensor slope = torch::autograd::grad({result.pow(3).sum()}, {x}, {}, true, true)[0];
    return torch::autograd::grad({slope.pow(2).sum()}, {x, norm->weight});
  };
  const auto expected = slope_of_penalty(torch::kCPU);
  const auto actual = slope_of_penalty(torch::kCUDA);
  EXPECT_LT(apart(expected[0], actual[0]), 1e-4);
  EXPECT_LT(apart(expected[1], actual[1]), 1e-4);
}

}  // namespace
}  // namespace pair::models::batch_norm_test
