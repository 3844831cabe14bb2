#include "pair/models/fused.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/utils.h>

#include <functional>
#include <string>

#include "pair/data/random.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"

// The kernels of a CUDA device against torch's operations on the CPU, in value and gradients, once and twice
// differentiated. Skipped where there is no device.

namespace pair::models::fused_test {
namespace {

torch::Tensor drawn(at::IntArrayRef shape, data::Random& random) {
  torch::Tensor tensor = torch::empty(shape);
  float* const values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(random.normal());
  }
  return tensor;
}

class Fused : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "no CUDA device here";
    }
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
  }

  // The result, the gradients of a weighted sum of it, and those of the gradients' squares.
  static std::vector<torch::Tensor> all_of(const std::function<torch::Tensor(torch::Tensor)>& function,
                                           torch::nn::Module& module, const torch::Tensor& inputs,
                                           const torch::Tensor& weights) {
    const torch::Tensor leaf = inputs.detach().requires_grad_(true);
    std::vector<torch::Tensor> wanted = module.parameters();
    wanted.push_back(leaf);
    const torch::Tensor result = function(leaf);
    std::vector<torch::Tensor> all = {result.detach()};
    const torch::Tensor sum = (result * weights).sum();
    for (const torch::Tensor& gradient : torch::autograd::grad({sum}, wanted, {}, true)) {
      all.push_back(gradient);
    }
    torch::Tensor squares = torch::zeros({}, result.options());
    for (const torch::Tensor& gradient :
         torch::autograd::grad({(result.square() * weights).sum()}, wanted, {}, true, true)) {
      squares = squares + gradient.square().sum();
    }
    for (const torch::Tensor& gradient :
         torch::autograd::grad({squares}, wanted, {}, false, false, /*allow_unused=*/true)) {
      if (gradient.defined()) {
        all.push_back(gradient);
      }
    }
    for (torch::Tensor& tensor : all) {
      tensor = tensor.cpu().contiguous();
    }
    return all;
  }

  static void expect_close(const std::vector<torch::Tensor>& got,
                           const std::vector<torch::Tensor>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double size = expected[i].abs().max().item<double>();
      EXPECT_LT((got[i] - expected[i]).abs().max().item<double>(), 2e-4 * (size + 1e-3)) << "tensor " << i;
    }
  }

  data::Random random{11, "fused"};
};

TEST_F(Fused, LinearRelu) {
  for (const std::int64_t rows : {1, 127, 1000}) {
    for (const std::int64_t width : {4, 36, 256, 260}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(width));
      torch::nn::Linear layer(20, width);
      const torch::Tensor inputs = drawn({rows, 20}, random);
      const torch::Tensor weights = drawn({rows, width}, random);
      const auto function = [&](const torch::Tensor& x) { return linear_relu(layer, x); };
      const auto expected = all_of(function, *layer, inputs, weights);
      layer->to(torch::kCUDA);
      expect_close(all_of(function, *layer, inputs.cuda(), weights.cuda()), expected);
    }
  }
}

// A perceptron's pass by hand, short and long enough for its weights to be turned around, against autograd.
TEST_F(Fused, RectifiedPassGoesBackAsAutogradDoes) {
  for (const std::int64_t rows : {50, 9000}) {
    SCOPED_TRACE(rows);
    const auto model =
        make_model("mlp", options_of("mlp", {{"width", "20"}, {"depth", "3"}}), {.size = 12}, random);
    const torch::Tensor inputs = drawn({rows, 12}, random);
    const torch::Tensor features = model->features(inputs);
    const torch::Tensor slopes = drawn(features.sizes(), random);
    std::vector<torch::Tensor> expected =
        torch::autograd::grad({features}, model->featurizer_parameters(), {slopes});
    expected.push_back(features.detach());

    model->to(torch::kCUDA);
    const auto pass = model->rectified_pass(inputs.cuda());
    ASSERT_NE(pass, nullptr);
    const torch::Tensor before = slopes.cuda() * (pass->features() > 0);
    std::vector<torch::Tensor> found = pass->back(before, before.sum(0));
    found.push_back(pass->features());
    for (torch::Tensor& tensor : found) {
      tensor = tensor.cpu();
    }
    expect_close(found, expected);
  }
}

TEST_F(Fused, ThereIsNoRectifiedPassWithoutTrainingOrKernel) {
  const torch::Tensor inputs = drawn({5, 12}, random).cuda();
  const auto model = [&](std::int64_t width) {
    auto made =
        make_model("mlp", options_of("mlp", {{"width", std::to_string(width)}}), {.size = 12}, random);
    made->to(torch::kCUDA);
    return made;
  };
  EXPECT_NE(model(8)->rectified_pass(inputs), nullptr);
  EXPECT_EQ(model(9)->rectified_pass(inputs), nullptr);
  const auto frozen = model(8);
  frozen->featurizer_parameters().front().set_requires_grad(false);
  EXPECT_EQ(frozen->rectified_pass(inputs), nullptr);
}

TEST_F(Fused, ConvolutionReluNorm) {
  struct Shape {
    std::int64_t in;
    std::int64_t out;
    std::int64_t side;
    std::int64_t stride;
  };
  for (const auto& [in, out, side, stride] :
       {Shape{2, 64, 28, 1}, Shape{64, 128, 28, 2}, Shape{3, 32, 5, 1}}) {
    SCOPED_TRACE(std::to_string(in) + " to " + std::to_string(out));
    torch::nn::Conv2d convolution(torch::nn::Conv2dOptions(in, out, 3).stride(stride).padding(1));
    torch::nn::GroupNorm norm(torch::nn::GroupNormOptions(8, out));
    {
      const torch::NoGradGuard no_graph;
      norm->weight.copy_(drawn({out}, random));
      norm->bias.copy_(drawn({out}, random));
    }
    torch::nn::Sequential both(convolution, norm);
    const torch::Tensor inputs = drawn({5, in, side, side}, random);
    const std::int64_t reached = (side - 1) / stride + 1;
    for (const bool pooled : {false, true}) {
      SCOPED_TRACE(pooled ? "pooled" : "whole");
      both->to(torch::kCPU);
      const torch::Tensor weights =
          pooled ? drawn({5, out}, random) : drawn({5, out, reached, reached}, random);
      const auto function = [&](const torch::Tensor& x) {
        return convolution_relu_norm(convolution, norm, x, 1, pooled);
      };
      const auto expected = all_of(function, *both, inputs, weights);
      both->to(torch::kCUDA);
      expect_close(all_of(function, *both, inputs.cuda(), weights.cuda()), expected);

      const torch::NoGradGuard no_graph;
      const torch::Tensor half = function(inputs.cuda().to(torch::kHalf)).cpu().to(torch::kFloat);
      EXPECT_LT((half - expected[0]).abs().max().item<double>(),
                5e-3 * expected[0].abs().max().item<double>());
    }
  }
}

TEST_F(Fused, FirstLayerIn16Bits) {
  struct Shape {
    std::int64_t images;
    std::int64_t channels;
    std::int64_t rows;
    std::int64_t columns;
  };
  for (const auto& [n, channels, rows, columns] :
       {Shape{5, 2, 28, 28}, Shape{600, 2, 28, 28}, Shape{3, 1, 28, 28}, Shape{2, 2, 7, 5}, Shape{1, 1, 1, 1},
        Shape{1, 2, 78, 98}, Shape{1, 2, 90, 90}}) {
    SCOPED_TRACE(std::to_string(n) + " images of " + std::to_string(channels) + " channels, " +
                 std::to_string(rows) + " x " + std::to_string(columns));
    torch::nn::Conv2d convolution(torch::nn::Conv2dOptions(channels, 64, 3).padding(1));
    torch::nn::GroupNorm norm(torch::nn::GroupNormOptions(8, 64));
    {
      const torch::NoGradGuard no_graph;
      for (const torch::Tensor& numbers : {norm->weight, norm->bias}) {
        numbers.copy_(drawn(numbers.sizes(), random));
      }
      // Sums that 16 bits hold exactly and of which none is near 0: rounding must not decide what the
      // rectifier lets through.
      convolution->weight.copy_((2 * drawn(convolution->weight.sizes(), random)).round());
      convolution->bias.copy_(drawn({64}, random).round() + 0.5);
    }
    torch::nn::Sequential both(convolution, norm);
    const torch::Tensor inputs = (2 * drawn({n, channels, rows, columns}, random)).round().to(torch::kHalf);
    const torch::Tensor weights = drawn({n, 64, rows, columns}, random);
    const auto found = [&](const torch::Tensor& x, const torch::Tensor& by) {
      const torch::Tensor result = convolution_relu_norm(convolution, norm, x, 1);
      std::vector<torch::Tensor> all = {result.detach()};
      for (const torch::Tensor& gradient :
           torch::autograd::grad({(result.to(torch::kFloat) * by).sum()}, both->parameters())) {
        all.push_back(gradient);
      }
      const torch::NoGradGuard no_graph;
      all.push_back(convolution_relu_norm(convolution, norm, x, 1));
      for (torch::Tensor& tensor : all) {
        tensor = tensor.cpu().to(torch::kFloat).contiguous();
      }
      return all;
    };
    const auto expected = found(inputs.to(torch::kFloat), weights);
    both->to(torch::kCUDA);
    const auto got = found(inputs.cuda(), weights.cuda());
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double size = expected[i].abs().max().item<double>();
      EXPECT_LT((got[i] - expected[i]).abs().max().item<double>(), 5e-3 * (size + 1e-3)) << "tensor " << i;
    }
    if (rows * columns < 8000) {  // else by cuDNN, which may choose another way
      EXPECT_TRUE(torch::equal(got.front(), got.back())) << "with and without a backward pass";
    }
  }
}

}  // namespace
}  // namespace pair::models::fused_test
