#include <gmock/gmock.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <set>

#include "pair/models/dropout.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"

namespace pair::models {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::shared_ptr<Model> resnet_of(const char* name,
                                 const std::vector<std::pair<std::string, std::string>>& changes = {},
                                 std::int64_t outputs = 3, std::int64_t channels = 3,
                                 std::uint64_t seed = 0) {
  data::Random random(seed, "model");
  return make_model(name, options_of(name, changes),
                    {.size = channels * 32 * 32, .shape = {channels, 32, 32}, .outputs = outputs}, random);
}

std::set<std::string> state_of(const Model& model) {
  std::set<std::string> names;
  for (const auto& item : model.named_parameters()) {
    names.insert(item.key());
  }
  for (const auto& item : model.named_buffers()) {
    names.insert(item.key());
  }
  return names;
}

std::int64_t numbers_in(const Model& model) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : model.parameters()) {
    count += parameter.numel();
  }
  return count;
}

// The counts are those of torchvision's models and their state_dict().
TEST(ResNet, HasTorchvisionsParametersAndNames) {
  const auto small = resnet_of("resnet18", {}, 1000);
  EXPECT_EQ(numbers_in(*small), 11'689'512);
  EXPECT_EQ(state_of(*small).size(), 122U);
  for (const char* name :
       {"conv1.weight", "bn1.running_var", "bn1.num_batches_tracked", "layer1.0.conv1.weight",
        "layer2.0.downsample.0.weight", "layer2.0.downsample.1.running_mean", "layer4.1.bn2.bias",
        "fc.weight", "fc.bias"}) {
    EXPECT_TRUE(state_of(*small).contains(name)) << name;
  }
  EXPECT_FALSE(state_of(*small).contains("layer1.0.downsample.0.weight"));
  const auto large = resnet_of("resnet50", {}, 1000);
  EXPECT_EQ(numbers_in(*large), 25'557'032);
  EXPECT_EQ(state_of(*large).size(), 320U);
  for (const char* name :
       {"layer1.0.conv3.weight", "layer1.0.downsample.1.bias", "layer3.5.bn3.running_mean"}) {
    EXPECT_TRUE(state_of(*large).contains(name)) << name;
  }
}

TEST(ResNet, MapsPicturesOfAnySizeAndChannelsToLogits) {
  const torch::NoGradGuard no_graph;
  for (const auto& [name, features] :
       std::vector<std::pair<const char*, std::int64_t>>{{"resnet18", 512}, {"resnet50", 2048}}) {
    const auto model = resnet_of(name, {}, 5, 2);
    model->eval();
    for (const std::int64_t side : {8, 33, 64}) {
      const torch::Tensor inputs = torch::rand({2, 2, side, side + 3});
      EXPECT_EQ(model->features(inputs).sizes(), (std::vector<std::int64_t>{2, features}));
      const torch::Tensor logits = model->forward(inputs);
      EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 5}));
      EXPECT_TRUE(logits.isfinite().all().item<bool>());
    }
  }
}

TEST(ResNet, TheSeedAloneDecidesTheParameters) {
  const auto weight = [](std::uint64_t seed) {
    return resnet_of("resnet18", {}, 3, 3, seed)->named_parameters()["layer3.0.conv1.weight"];
  };
  EXPECT_TRUE(torch::equal(weight(1), weight(1)));
  EXPECT_FALSE(torch::equal(weight(1), weight(2)));
  // He's deviation, of 256 outputs and 3 x 3 places.
  EXPECT_NEAR(weight(1).std().item<double>(), std::sqrt(2.0 / (256 * 9)), 1e-4);
}

TEST(ResNet, UpdatesItsStatisticsInTrainingUnlessTheyAreFrozen) {
  torch::manual_seed(1);
  const torch::Tensor inputs = torch::rand({4, 3, 16, 16});
  for (const bool frozen : {false, true}) {
    const auto model = resnet_of("resnet18", {{"freeze_bn", frozen ? "true" : "false"}});
    const DropoutKey key(*model, 0, torch::kCPU);
    model->train();
    const torch::Tensor mean = model->named_buffers()["layer2.0.bn1.running_mean"];
    const torch::Tensor before = mean.clone();
    (void)model->forward(inputs);
    EXPECT_EQ(torch::equal(mean, before), frozen);
    EXPECT_TRUE(model->named_parameters()["bn1.weight"].requires_grad()) << "scale and shift are trained";
    EXPECT_TRUE(model->is_training());
    // Again after a pass in evaluation mode.
    model->eval();
    model->train();
    (void)model->forward(inputs);
    EXPECT_EQ(torch::equal(mean, before), frozen);
  }
}

TEST(ResNet, DropsFeaturesBeforeTheHeadInTraining) {
  const auto model = resnet_of("resnet18", {{"resnet_dropout", "0.5"}});
  DropoutKey key(*model, 0, torch::kCPU);
  EXPECT_TRUE(key.draws());
  const torch::Tensor inputs = torch::rand({4, 3, 32, 32});
  model->train();
  const torch::Tensor features = model->features(inputs);
  const double zeros = (features == 0).to(torch::kDouble).mean().item<double>();
  EXPECT_GT(zeros, 0.4);
  EXPECT_LT(zeros, 0.7);
  model->eval();
  EXPECT_LT((model->features(inputs) == 0).to(torch::kDouble).mean().item<double>(), 0.3);
}

TEST(ResNet, RefusesVectorsAndBadOptions) {
  data::Random random(0, "model");
  EXPECT_THAT(
      [&] {
        (void)make_model("resnet18", options_of("resnet18"), {.size = 4, .shape = {4}, .outputs = 2}, random);
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("got 'resnet18', which is for images")));
  EXPECT_THAT(
      [] {
        (void)options_of("resnet50", {{"resnet_dropout", "1"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("resnet_dropout: expected a number from 0 to below 1")));
  const auto model = resnet_of("resnet18");
  EXPECT_THAT(
      [&] {
        (void)model->forward(torch::ones({2, 3}));
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("inputs: expected the shape [n, channels, rows, columns]")));
}

}  // namespace
}  // namespace pair::models
