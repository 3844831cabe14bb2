#include "pair/models/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <bit>
#include <memory>
#include <string>

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

}  // namespace
}  // namespace pair::models::dropout_test
