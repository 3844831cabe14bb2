#include <gmock/gmock.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "pair/data/weights_file.h"
#include "pair/models/dropout.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/models/weights.h"
#include "tests/support/python.h"
#include "tests/support/scratch.h"

// Weights of other programs: torchvision's, where it is installed, and files that are like them.

namespace pair::models::pretrained_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::shared_ptr<Model> model_of(const std::string& name, std::int64_t classes, std::int64_t channels = 3,
                                std::uint64_t seed = 1) {
  data::Random random(seed, "model");
  return make_model(name, options_of(name),
                    {.size = channels * 64 * 64, .shape = {channels, 64, 64}, .outputs = classes}, random);
}

torch::Tensor tensor_in(const data::WeightsFile& file, const std::string& name) {
  for (const data::TensorView& view : file.tensors()) {
    if (view.name == name) {
      torch::Tensor tensor = torch::empty(view.shape, torch::kFloat);
      std::memcpy(tensor.data_ptr(), view.bytes.data(), view.bytes.size());
      return tensor;
    }
  }
  throw std::runtime_error("no tensor " + name);
}

// Inputs, and torchvision's logits of them with random weights and statistics.
void expect_the_logits_of_torchvision(const std::string& name, const std::string& save_options) {
  const std::string python = tests::python_with("torchvision");
  if (python.empty()) {
    GTEST_SKIP() << "there is no python3 with torchvision (Debian's python3-torchvision)";
  }
  const tests::Scratch scratch;
  const base::Finished finished = base::run_program({python, "-c", R"(
import torch, torchvision
torch.manual_seed(3)
torch.set_num_threads(1)
model = torchvision.models.)" + name + R"((num_classes=5)
for module in model.modules():
    if isinstance(module, torch.nn.BatchNorm2d):
        module.weight.data.uniform_(0.5, 1.5); module.bias.data.normal_(0, 0.1)
        module.running_mean.normal_(0, 0.1); module.running_var.uniform_(0.5, 1.5)
model.eval()
inputs = torch.randn(2, 3, 64, 64)
torch.save(model.state_dict(), "model.pth")" + save_options + R"()
with torch.no_grad():
    torch.save({"inputs": inputs, "logits": model(inputs)}, "io.pth")
)"},
                                                    scratch.path());
  ASSERT_EQ(finished.status, 0) << finished.output;
  const std::shared_ptr<Model> model = model_of(name, 5);
  EXPECT_THAT(load_pretrained(*model, data::WeightsFile(scratch / "model.pth"), "model.pth"), IsEmpty());
  const data::WeightsFile io(scratch / "io.pth");
  const torch::NoGradGuard no_graph;
  model->eval();
  const torch::Tensor logits = tensor_in(io, "logits");
  const torch::Tensor ours = model->forward(tensor_in(io, "inputs"));
  const double largest = logits.abs().max().item<double>();
  EXPECT_GT(largest, 0.01);
  // Relative for large logits: the random BatchNorm weights make them far larger than a trained network's.
  EXPECT_LT((ours - logits).abs().max().item<double>(), 1e-4 * std::max(1.0, largest));
}

TEST(Pretrained, Resnet18HasTheLogitsOfTorchvision) {
  expect_the_logits_of_torchvision("resnet18", "");
}
TEST(Pretrained, Resnet50HasTheLogitsOfTorchvision) {
  expect_the_logits_of_torchvision("resnet50", ", _use_new_zipfile_serialization=False");
}
TEST(Pretrained, Densenet121HasTheLogitsOfTorchvision) {
  expect_the_logits_of_torchvision("densenet121", "");
}

// Another model's weights in a file, under names that `rename` gives.
data::WeightsFile saved(Model& model, const tests::Scratch& scratch,
                        const std::function<std::string(std::string)>& rename = {}) {
  save_weights(model, scratch / "model.safetensors");
  if (rename) {
    const data::SafetensorsFile file(scratch / "model.safetensors");
    std::vector<data::TensorView> views;
    for (data::TensorView view : file.tensors()) {
      view.name = rename(view.name);
      if (!view.name.empty()) {
        views.push_back(view);
      }
    }
    data::write_safetensors(scratch / "renamed.safetensors", views);
    return data::WeightsFile(scratch / "renamed.safetensors");
  }
  return data::WeightsFile(scratch / "model.safetensors");
}

std::map<std::string, torch::Tensor> state_of(Model& model) {
  std::map<std::string, torch::Tensor> state;
  for (const auto& item : model.named_parameters()) {
    state.emplace(item.key(), item.value().detach().clone());
  }
  return state;
}

TEST(Pretrained, AHeadOfOtherClassesIsNotTakenAndSaidSo) {
  const tests::Scratch scratch;
  const auto source = model_of("resnet18", 1000, 3, 1);
  const auto target = model_of("resnet18", 7, 3, 2);
  const auto before = state_of(*target);
  const data::WeightsFile file = saved(*source, scratch);
  EXPECT_THAT(load_pretrained(*target, file, "resnet18.pth"),
              ElementsAre(AllOf(HasSubstr("resnet18.pth: the head fc is not taken from the file"),
                                HasSubstr("expected [7, 512], got"), HasSubstr("fc.weight [1000, 512]"))));
  const auto after = state_of(*target);
  EXPECT_TRUE(torch::equal(after.at("fc.weight"), before.at("fc.weight")));
  EXPECT_TRUE(torch::equal(after.at("fc.bias"), before.at("fc.bias")));
  EXPECT_TRUE(torch::equal(after.at("layer4.1.conv2.weight"), state_of(*source).at("layer4.1.conv2.weight")));
}

TEST(Pretrained, OtherChannelsRepeatTheFilters) {
  const tests::Scratch scratch;
  const auto source = model_of("resnet18", 2);
  const auto target = model_of("resnet18", 2, 5, 2);
  EXPECT_THAT(load_pretrained(*target, saved(*source, scratch), "x"),
              ElementsAre(HasSubstr("the filters of 3 channels in its conv1.weight are repeated for 5")));
  const torch::Tensor from = state_of(*source).at("conv1.weight");
  const torch::Tensor to = state_of(*target).at("conv1.weight");
  for (std::int64_t channel = 0; channel < 5; ++channel) {
    EXPECT_TRUE(torch::equal(to.select(1, channel), from.select(1, channel % 3)));
  }
}

// densenet121-a639ec97.pth of 2017: other names, and no num_batches_tracked.
TEST(Pretrained, OldNamesOfDensenetAreAccepted) {
  const tests::Scratch scratch;
  const auto source = model_of("densenet121", 3);
  const auto target = model_of("densenet121", 3, 3, 2);
  const data::WeightsFile file = saved(*source, scratch, [](std::string name) {
    if (name.ends_with("num_batches_tracked")) {
      return std::string();
    }
    for (const std::string part : {"norm1", "norm2", "conv1", "conv2"}) {
      if (const std::size_t at = name.find("." + part + "."); at != std::string::npos) {
        name.insert(at + part.size(), ".");
      }
    }
    return name;
  });
  EXPECT_THAT(file.tensors().front().name, HasSubstr("classifier"));
  EXPECT_THAT(load_pretrained(*target, file, "x"), IsEmpty());
  const auto from = state_of(*source);
  for (const auto& [name, tensor] : state_of(*target)) {
    EXPECT_TRUE(torch::equal(tensor, from.at(name))) << name;
  }
}

TEST(Pretrained, AnotherModelsWeightsAreRefusedWithLists) {
  const tests::Scratch scratch;
  const auto source = model_of("resnet18", 7);
  const auto target = model_of("resnet50", 7);
  const auto before = state_of(*target);
  const data::WeightsFile file = saved(*source, scratch);
  EXPECT_THAT([&] { (void)load_pretrained(*target, file, "resnet18.pth"); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("resnet18.pth does not match the model; missing: layer1.0.bn3.bias"),
                        HasSubstr("more; misshapen: layer1.0.conv1.weight (expected [64, 64, 1, 1], got [64, "
                                  "64, 3, 3])"))));
  for (const auto& [name, tensor] : state_of(*target)) {
    EXPECT_TRUE(torch::equal(tensor, before.at(name))) << name;
  }
  const data::WeightsFile other =
      saved(*source, scratch, [](const std::string& name) { return "net." + name; });
  EXPECT_THAT([&] { (void)load_pretrained(*target, other, "x"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("unexpected: net.bn1.bias")));
}

TEST(Densenet121, HasTheNamesAndSizesOfTorchvision) {
  const auto model = model_of("densenet121", 1000);
  std::int64_t numbers = 0;
  for (const torch::Tensor& parameter : model->parameters()) {
    numbers += parameter.numel();
  }
  EXPECT_EQ(numbers, 7'978'856);
  EXPECT_EQ(model->parameters().size(), 364U);
  EXPECT_EQ(model->buffers().size(), 363U);
  const auto state = state_of(*model);
  EXPECT_TRUE(state.contains("features.denseblock4.denselayer16.conv2.weight"));
  EXPECT_TRUE(state.contains("features.transition3.norm.bias"));
  EXPECT_TRUE(state.contains("features.norm5.weight"));
  EXPECT_TRUE(state.contains("classifier.bias"));
  const torch::NoGradGuard no_graph;
  model->eval();
  EXPECT_EQ(model->features(torch::rand({1, 3, 32, 32})).sizes(), (std::vector<std::int64_t>{1, 1024}));
}

TEST(Densenet121, TakesAnyChannelsAndRefusesSmallInputs) {
  const auto model = model_of("densenet121", 2, 1);
  const torch::NoGradGuard no_graph;
  model->eval();
  EXPECT_EQ(model->forward(torch::rand({2, 1, 64, 64})).sizes(), (std::vector<std::int64_t>{2, 2}));
  data::Random random(0, "model");
  EXPECT_THAT(
      [&] {
        (void)make_model("densenet121", options_of("densenet121"),
                         {.size = std::int64_t{3} * 16 * 16, .shape = {3, 16, 16}, .outputs = 2}, random);
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("at least 32 rows and columns, got [3, 16, 16]")));
  EXPECT_THAT(
      [&] {
        (void)options_of("densenet121", {{"densenet_dropout", "1"}});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("densenet_dropout: expected a number from 0 to below 1")));
}

TEST(Densenet121, KeepsTheStatisticsOfBatchNormWhereTheyAreFrozen) {
  for (const char* const frozen : {"false", "true"}) {
    data::Random random(0, "model");
    const auto model =
        make_model("densenet121", options_of("densenet121", {{"freeze_bn", frozen}}),
                   {.size = std::int64_t{3} * 32 * 32, .shape = {3, 32, 32}, .outputs = 2}, random);
    DropoutKey key(*model, 0, torch::kCPU);
    model->train();
    const torch::Tensor before = model->named_buffers()["features.norm0.running_mean"].clone();
    (void)model->forward(torch::rand({2, 3, 32, 32}));
    EXPECT_EQ(torch::equal(before, model->named_buffers()["features.norm0.running_mean"]),
              std::string_view(frozen) == "true");
  }
}

}  // namespace
}  // namespace pair::models::pretrained_test
