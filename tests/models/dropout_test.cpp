#include "pair/models/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/splitmix64.h"
#include "pair/models/counter_random.h"

namespace pair::models::dropout_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Two places in a network.
struct TwoPlaces : torch::nn::Module {
  explicit TwoPlaces(double share = 0.25)
      : first(register_module("first", std::make_shared<Dropout>(share))),
        second(register_module("second", std::make_shared<Dropout>(share))) {}
  std::shared_ptr<Dropout> first;
  std::shared_ptr<Dropout> second;
};

torch::Tensor ones() {
  return torch::ones({50, 40});
}

TEST(CounterRandom, IsSplitmix64OnTheHostAndInTensors) {
  EXPECT_EQ(base::splitmix64::word(1), 0xe220a8397b1dcdafULL);  // the generator's first word for the seed 0
  const torch::Tensor counters = torch::tensor({std::int64_t{1}, std::int64_t{-5}, std::int64_t{1} << 62});
  const torch::Tensor words = random_words(counters);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(words[i].item<std::int64_t>()),
              base::splitmix64::word(std::bit_cast<std::uint64_t>(counters[i].item<std::int64_t>())));
  }
  EXPECT_EQ(upper_31_bits(words)[0].item<std::int64_t>(), std::int64_t{0xe220a839 >> 1});
}

TEST(Dropout, SetsItsShareToZeroAndKeepsTheMean) {
  TwoPlaces network(0.25);
  const DropoutKey key(network, 1, torch::kCPU);
  const torch::Tensor out = network.first->forward(torch::ones({1000, 100}));
  const double zeros = (out == 0).to(torch::kDouble).mean().item<double>();
  EXPECT_NEAR(zeros, 0.25, 0.007);  // five standard deviations
  EXPECT_NEAR(out.max().item<double>(), 4.0 / 3.0, 1e-6);
  EXPECT_TRUE(((out == 0) | (out == out.max())).all().item<bool>());
}

TEST(Dropout, MasksAreAFunctionOfSeedStepAndPlace) {
  TwoPlaces network;
  DropoutKey key(network, 1, torch::kCPU);
  const torch::Tensor at_first_step = network.first->forward(ones());
  EXPECT_FALSE(at_first_step.equal(network.second->forward(ones())));
  key.set_step(1);
  EXPECT_FALSE(at_first_step.equal(network.first->forward(ones())));
  key.set_step(0);
  torch::manual_seed(99);  // changes nothing
  EXPECT_TRUE(at_first_step.equal(network.first->forward(ones())));

  TwoPlaces same;
  const DropoutKey same_key(same, 1, torch::kCPU);
  EXPECT_TRUE(at_first_step.equal(same.first->forward(ones())));
  TwoPlaces other;
  const DropoutKey other_key(other, 2, torch::kCPU);
  EXPECT_FALSE(at_first_step.equal(other.first->forward(ones())));
}

TEST(Dropout, IsTheIdentityInEvaluationModeAndWithAShareOfZero) {
  TwoPlaces network;
  const DropoutKey key(network, 1, torch::kCPU);
  const torch::Tensor input = ones();
  network.eval();
  EXPECT_TRUE(network.first->forward(input).is_same(input));
  EXPECT_TRUE(Dropout(0.0).forward(input).is_same(input));
}

TEST(Dropout, PassesGradientsThroughItsMaskAlone) {
  TwoPlaces network;
  const DropoutKey key(network, 1, torch::kCPU);
  const torch::Tensor input = ones().requires_grad_(true);
  const torch::Tensor out = network.first->forward(input);
  out.sum().backward();
  EXPECT_TRUE(input.grad().equal(out.detach()));
  const torch::NoGradGuard no_graph;
  EXPECT_FALSE(network.first->forward(input).requires_grad());
}

TEST(Dropout, RefusesSharesOutOfRangeAndToDrawWithoutAKey) {
  EXPECT_THAT([] { Dropout(1.0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("got 1.0")));
  EXPECT_THROW(Dropout(-0.1), std::invalid_argument);
  EXPECT_THROW(Dropout(std::nan("")), std::invalid_argument);
  EXPECT_THROW(Dropout(0.5).forward(ones()), std::logic_error);
}

TEST(DropoutKey, RefusesTorchsOwnDropout) {
  torch::nn::Sequential network(torch::nn::Linear(2, 2), torch::nn::Dropout(0.5));
  EXPECT_THAT([&] { DropoutKey(*network, 1, torch::kCPU); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("module '1': expected pair::models::Dropout")));
  torch::nn::Sequential harmless(torch::nn::Linear(2, 2), torch::nn::Dropout(0.0));
  EXPECT_NO_THROW(DropoutKey(*harmless, 1, torch::kCPU));
}

TEST(Dropout, OfASoftmaxIsThatOfItsResult) {
  TwoPlaces network;
  const DropoutKey key(network, 1, torch::kCPU);
  const torch::Tensor scores = torch::linspace(-3, 3, std::int64_t{4} * 2 * 3 * 5).view({4, 2, 3, 5});
  const torch::Tensor bias = torch::zeros({4, 1, 1, 5});
  const torch::Tensor expected = network.first->forward(torch::softmax(scores, -1));
  EXPECT_TRUE(network.first->forward_softmax(scores, bias).equal(expected));
  EXPECT_GT((expected == 0).sum().item<std::int64_t>(), 0);
  network.eval();
  EXPECT_TRUE(network.first->forward_softmax(scores, bias).equal(torch::softmax(scores, -1)));
}

// The kernels against torch's operations on the host. Skipped without a device.
class DropoutKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "no CUDA device here";
    }
    host_key->set_step(3);
    device_key = std::make_unique<DropoutKey>(on_device, 1, torch::kCUDA);
    device_key->set_step(3);
  }

  // The largest difference between the host's result and the device's, and between their gradients, relative to
  // the largest number, if that is not 0.
  template <class Function>
  double difference(const torch::Tensor& input, torch::ScalarType type, const Function& function) {
    const torch::Tensor rounded = input.to(type).to(torch::kFloat);
    const torch::Tensor here = rounded.detach().clone().requires_grad_(true);
    const torch::Tensor there = rounded.to(torch::kCUDA, type).requires_grad_(true);
    const torch::Tensor expected = function(on_host, here);
    const torch::Tensor actual = function(on_device, there);
    EXPECT_EQ(actual.scalar_type(), type);
    EXPECT_TRUE((expected == 0).equal((actual == 0).cpu())) << "another mask";
    const torch::Tensor slope = torch::linspace(-1, 2, input.numel()).view(input.sizes());
    expected.backward(slope);
    actual.backward(slope.to(torch::kCUDA, type));
    const auto apart = [](const torch::Tensor& a, const torch::Tensor& b) {
      constexpr double least = 1e-3;
      return ((a - b.cpu().to(torch::kFloat)).abs().max() / a.abs().max().clamp_min(least))
          .template item<double>();
    };
    const double results = apart(expected.detach(), actual.detach());
    const double slopes = apart(here.grad(), there.grad());
    EXPECT_FALSE(std::isnan(results) || std::isnan(slopes));
    return std::max(results, slopes);
  }

  TwoPlaces on_host{0.1};
  TwoPlaces on_device{0.1};
  std::unique_ptr<DropoutKey> host_key = std::make_unique<DropoutKey>(on_host, 1, torch::kCPU);
  std::unique_ptr<DropoutKey> device_key;
};

constexpr std::array all_types{std::pair{torch::kFloat, 1e-6}, std::pair{torch::kHalf, 2e-3},
                               std::pair{torch::kBFloat16, 2e-2}};

TEST_F(DropoutKernels, KeepTheNumbersThatTheHostKeeps) {
  const auto drop = [](TwoPlaces& network, const torch::Tensor& input) {
    return network.second->forward(input);
  };
  const std::vector<std::vector<std::int64_t>> shapes{
      {50, 40}, {7, 33}, {1, 1}, {5, 3, 7}, {4, 6, 30}, {3, 2, 5, 9}, {2, 1500, 1000}, {70'000, 1, 5}};
  for (const auto& shape : shapes) {
    const std::int64_t count = at::IntArrayRef(shape).front() * torch::empty(shape)[0].numel();
    const torch::Tensor input = torch::linspace(1, 2, count).view(shape);
    for (const auto& [type, most] : all_types) {
      EXPECT_LT(difference(input, type, drop), most) << at::IntArrayRef(shape) << ' ' << type;
    }
  }
}

TEST_F(DropoutKernels, OfASoftmaxAreTheHosts) {
  for (const std::int64_t columns : {1, 5, 30, 128, 131, 300, 512, 700, 1024, 1030}) {
    torch::Tensor bias = torch::zeros({3, 1, 1, columns});
    bias.index_put_({1, 0, 0, torch::indexing::Slice(columns / 2 + 1)},
                    -std::numeric_limits<float>::infinity());
    const auto drop = [&bias](TwoPlaces& network, const torch::Tensor& scores) {
      return network.second->forward_softmax(scores, bias.to(scores.options()));
    };
    const torch::Tensor scores =
        3 * torch::sin(torch::arange(std::int64_t{3} * 2 * 7 * columns, torch::kFloat));
    for (const auto& [type, most] : all_types) {
      EXPECT_LT(difference(scores.view({3, 2, 7, columns}), type, drop), 2 * most) << columns << ' ' << type;
    }
  }
}

TEST_F(DropoutKernels, FollowTheStepAndTheRowsOfThePart) {
  const torch::Tensor input = torch::ones({6, 3, 5});
  const torch::Tensor all = on_device.first->forward(input.cuda());
  const torch::Tensor places = torch::tensor({std::int64_t{4}, std::int64_t{1}});
  const DropoutRows part(on_device, places.cuda());
  EXPECT_TRUE(
      on_device.first->forward(input.narrow(0, 0, 2).cuda()).equal(all.index_select(0, places.cuda())));
  const DropoutRows whole(on_device, torch::arange(6, torch::kLong).cuda());
  device_key->set_step(4);
  EXPECT_FALSE(on_device.first->forward(input.cuda()).equal(all));
  device_key->set_step(3);
  EXPECT_TRUE(on_device.first->forward(input.cuda()).equal(all));
}

TEST_F(DropoutKernels, HaveGradientsOfGradientsOrRefuseThem) {
  const auto penalty_slope = [](TwoPlaces& network, const torch::Tensor& input) {
    const torch::Tensor x = input.clone().requires_grad_(true);
    const torch::Tensor loss = network.first->forward(x * x).pow(2).sum();
    const torch::Tensor slope = torch::autograd::grad({loss}, {x}, {}, true, /*create_graph=*/true)[0];
    return torch::autograd::grad({slope.pow(2).sum()}, {x})[0];
  };
  const torch::Tensor input = torch::linspace(-1, 1, 60).view({4, 15});
  EXPECT_TRUE(torch::allclose(penalty_slope(on_host, input), penalty_slope(on_device, input.cuda()).cpu(),
                              1e-5, 1e-6));

  const torch::Tensor scores = torch::ones({2, 2, 3, 4}, torch::kCUDA).requires_grad_(true);
  const torch::Tensor weights = on_device.first->forward_softmax(scores, torch::zeros({2, 1, 1, 4}).cuda());
  EXPECT_THAT([&] { torch::autograd::grad({weights.pow(2).sum()}, {scores}, {}, true, true); },
              ThrowsMessage<std::exception>(HasSubstr("distilbert_fused=false")));
}

}  // namespace
}  // namespace pair::models::dropout_test
