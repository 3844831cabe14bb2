#include <gmock/gmock.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <limits>
#include <map>

#include "pair/algorithms/registry.h"
#include "pair/base/registry.h"
#include "pair/models/model.h"
#include "pair/train/algorithm.h"
#include "pair/train/guard.h"
#include "tests/train/small_data.h"

namespace pair::train::fish_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The network of golden/make_fish.py, under its names.
class GoldenNet final : public models::Model {
 public:
  GoldenNet() {
    first_ = register_module("0", torch::nn::Linear(2, 3));
    norm_ = register_module("1", torch::nn::BatchNorm1d(3));
    head = register_module("3", torch::nn::Linear(3, 1));
    const torch::NoGradGuard no_graph;
    first_->weight.copy_(torch::tensor({{0.5, -0.3}, {0.2, 0.8}, {-0.6, 0.1}}));
    first_->bias.copy_(torch::tensor({0.1, -0.2, 0.0}));
    head->weight.copy_(torch::tensor({{0.7, -0.5, 0.4}}));
    head->bias.copy_(torch::tensor({0.05}));
  }
  torch::Tensor features(const torch::Tensor& inputs) override {
    return torch::tanh(norm_->forward(first_->forward(inputs)));
  }

 private:
  torch::nn::Linear first_{nullptr};
  torch::nn::BatchNorm1d norm_{nullptr};
};

Batch golden_batch() {
  return {torch::tensor({{1.0, 0.5},
                         {-0.5, 1.0},
                         {0.3, -1.2},
                         {-1.0, -0.4},
                         {0.8, -0.6},
                         {-1.1, 0.2},
                         {0.4, 0.9},
                         {-0.7, -1.3}},
                        torch::kFloat),
          torch::tensor({1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0}, torch::kFloat),
          {4, 4}};
}

using Changes = std::vector<std::pair<std::string, std::string>>;

struct Fished {
  std::shared_ptr<GoldenNet> net = std::make_shared<GoldenNet>();
  std::unique_ptr<Algorithm> fish;

  explicit Fished(const Changes& changes) {
    Settings settings;
    settings.scheme = Scheme::own;
    settings.update = algorithms::algorithm_named("fish").update;
    settings.update.options = base::with_changes(settings.update.options, changes);
    settings.lr = 0.1;
    settings.l2 = 0.01;
    net->train();
    fish = settings.update.make({.settings = settings,
                                 .data = *testing::small_data(),
                                 .model = net,
                                 .seed = 0,
                                 .device = torch::kCPU});
  }

  void advance(int steps, const Batch& batch) {
    data::Random random(0, "test");
    for (int i = 0; i < steps; ++i) {
      fish->advance(batch, 0.1, random);
    }
  }

  std::vector<double> numbers(const std::string& name) const {
    torch::Tensor found;
    for (const auto& list : {net->named_parameters(), net->named_buffers()}) {
      for (const auto& item : list) {
        found = item.key() == name ? item.value() : found;
      }
    }
    const torch::Tensor flat = found.detach().to(torch::kDouble).flatten().contiguous();
    return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
  }
};

constexpr double close_to = 2e-6;

TEST(Fish, TakesTheStepsOfTheAuthorsCode) {
  Fished run(Changes{{"meta_lr", "0.5"}});
  run.advance(3, golden_batch());
  EXPECT_NEAR(run.fish->losses().at(0).second, 0.374828815, close_to);
  EXPECT_THAT(run.numbers("0.weight"),
              ElementsAre(DoubleNear(0.461574137, close_to), DoubleNear(-0.344983995, close_to),
                          DoubleNear(-0.0896038413, close_to), DoubleNear(0.760199308, close_to),
                          DoubleNear(-0.310465276, close_to), DoubleNear(-0.180056751, close_to)));
  EXPECT_THAT(run.numbers("3.weight"),
              ElementsAre(DoubleNear(0.974690735, close_to), DoubleNear(-0.578262031, close_to),
                          DoubleNear(0.169065893, close_to)));
}

TEST(Fish, MovesTheStatisticsOfBatchNormAsParameters) {
  Fished run(Changes{{"meta_lr", "0.5"}});
  run.advance(3, golden_batch());
  EXPECT_THAT(run.numbers("1.running_var"),
              ElementsAre(DoubleNear(0.810755014, close_to), DoubleNear(0.910263896, close_to),
                          DoubleNear(0.78703475, close_to)));
  EXPECT_THAT(run.numbers("1.num_batches_tracked"), ElementsAre(3.0));
}

TEST(Fish, DividesItsRateByTheEnvironmentsAsOnWilds) {
  Fished run(Changes{{"meta_lr", "0.05"}, {"meta_lr_shared", "true"}});
  run.advance(3, golden_batch());
  EXPECT_NEAR(run.fish->losses().at(0).second, 0.489644527, close_to);
  EXPECT_THAT(run.numbers("3.weight"),
              ElementsAre(DoubleNear(0.713886321, close_to), DoubleNear(-0.502868712, close_to),
                          DoubleNear(0.387603879, close_to)));
  EXPECT_THAT(run.numbers("1.running_mean"),
              ElementsAre(DoubleNear(0.00041355539, close_to), DoubleNear(-0.00363963703, close_to),
                          DoubleNear(0.000776003348, close_to)));
  EXPECT_THAT(run.numbers("1.num_batches_tracked"), ElementsAre(0.0));
}

TEST(Fish, LeavesTheModelAsItWasIfALossIsNotFinite) {
  Fished run(Changes{});
  Batch broken = golden_batch();
  broken.inputs[5][0] = std::numeric_limits<float>::infinity();  // in the second environment
  const std::vector<double> before = run.numbers("0.weight");
  const std::vector<double> variance = run.numbers("1.running_var");
  EXPECT_THAT([&] { run.advance(1, broken); }, ThrowsMessage<Diverged>(HasSubstr("the loss is not finite")));
  EXPECT_EQ(run.numbers("0.weight"), before);
  EXPECT_EQ(run.numbers("1.running_var"), variance);
}

TEST(Fish, IsDomainBedsAndDeclaresWhatPairSReads) {
  const algorithms::AlgorithmEntry& entry = algorithms::algorithm_named("Fish");
  EXPECT_EQ(entry.name, "fish");
  EXPECT_EQ(entry.losses, (std::vector<std::vector<std::string>>{{"loss"}}));
  EXPECT_THAT(
      [&] {
        (void)base::with_changes(entry.update.options, {{"meta_lr", "0"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("meta_lr: expected")));
}

}  // namespace
}  // namespace pair::train::fish_test
