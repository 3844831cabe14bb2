#include "pair/models/weights.h"

#include <gmock/gmock.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <cstring>
#include <string>

#include "tests/support/scratch.h"

namespace pair::models::weights_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Net : torch::nn::Module {
  explicit Net(std::int64_t channels = 4, const std::string& last = "head") {
    convolution = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, channels, 3)));
    norm = register_module("bn", torch::nn::BatchNorm2d(channels));
    head = register_module(last, torch::nn::Linear(channels, 2));
  }
  torch::Tensor forward(const torch::Tensor& inputs) {
    return head(norm(convolution(inputs)).relu().mean({2, 3}));
  }
  torch::nn::Conv2d convolution{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Linear head{nullptr};
};

std::vector<std::string> names_of(const data::SafetensorsFile& file) {
  std::vector<std::string> names;
  for (const data::TensorView& tensor : file.tensors()) {
    names.push_back(tensor.name);
  }
  return names;
}

auto does_not_fit(const std::string& sentence) {
  return ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("does not match the model"), HasSubstr(sentence)));
}

// A copy of a file with some tensors left out.
void copy_without(const std::filesystem::path& from, const std::filesystem::path& to,
                  const std::string& part) {
  const data::SafetensorsFile file(from);
  std::vector<data::TensorView> kept;
  for (const data::TensorView& tensor : file.tensors()) {
    if (tensor.name.find(part) == std::string::npos) {
      kept.push_back(tensor);
    }
  }
  data::write_safetensors(to, kept);
}

TEST(Weights, AreSavedUnderTheNamesOfPythonsStateDict) {
  torch::manual_seed(1);
  Net net;
  const tests::Scratch scratch;
  save_weights(net, scratch / "net.safetensors", {{"run", "7"}});
  const data::SafetensorsFile file(scratch / "net.safetensors");
  EXPECT_THAT(names_of(file),
              ElementsAre("bn.num_batches_tracked", "bn.bias", "bn.running_mean", "bn.running_var",
                          "bn.weight", "conv.bias", "conv.weight", "head.bias", "head.weight"));
  EXPECT_EQ(file.metadata(), (data::Metadata{{"format", "pt"}, {"run", "7"}}));
  EXPECT_EQ(file.find("bn.num_batches_tracked")->dtype, data::DType::i64);
}

TEST(Weights, OfATrainedNetworkGiveTheSameOutputs) {
  torch::manual_seed(1);
  const torch::Tensor inputs = torch::rand({5, 3, 6, 6});
  Net trained;
  for (int i = 0; i < 3; ++i) {
    (void)trained.forward(inputs + i);  // moves the running statistics
  }
  trained.eval();
  const tests::Scratch scratch;
  save_weights(trained, scratch / "net.safetensors");

  Net other;
  other.eval();
  EXPECT_FALSE(torch::equal(other.forward(inputs), trained.forward(inputs)));
  load_weights(other, scratch / "net.safetensors");
  EXPECT_TRUE(torch::equal(other.forward(inputs), trained.forward(inputs)));
  EXPECT_EQ(other.norm->num_batches_tracked.item<std::int64_t>(), 3);
  for (const torch::Tensor& parameter : other.parameters()) {
    EXPECT_TRUE(parameter.requires_grad() && parameter.is_leaf());
  }
}

TEST(Weights, AreStoredRowByRowForAnyStrides) {
  torch::manual_seed(1);
  Net plain;
  Net channels_last;
  const tests::Scratch scratch;
  save_weights(plain, scratch / "plain.safetensors");
  {
    const torch::NoGradGuard no_graph;
    torch::Tensor weight = channels_last.convolution->weight;
    weight.set_data(weight.to(weight.options(), false, false, torch::MemoryFormat::ChannelsLast));
  }
  ASSERT_FALSE(channels_last.convolution->weight.is_contiguous());
  load_weights(channels_last, scratch / "plain.safetensors");
  EXPECT_FALSE(channels_last.convolution->weight.is_contiguous());
  EXPECT_TRUE(torch::equal(channels_last.convolution->weight, plain.convolution->weight));

  save_weights(channels_last, scratch / "again.safetensors");
  const data::SafetensorsFile first(scratch / "plain.safetensors");
  const data::SafetensorsFile second(scratch / "again.safetensors");
  const data::BytesView a = first.find("conv.weight")->bytes;
  const data::BytesView b = second.find("conv.weight")->bytes;
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size()), 0);
}

TEST(Weights, AreConvertedToTheModelsPrecision) {
  torch::manual_seed(1);
  Net single;
  Net half;
  half.to(torch::kBFloat16);
  const tests::Scratch scratch;
  save_weights(single, scratch / "net.safetensors");
  load_weights(half, scratch / "net.safetensors");
  EXPECT_TRUE(torch::equal(half.head->weight, single.head->weight.to(torch::kBFloat16)));
  save_weights(half, scratch / "half.safetensors");
  EXPECT_EQ(data::SafetensorsFile(scratch / "half.safetensors").find("head.weight")->dtype,
            data::DType::bf16);
}

TEST(Weights, OfAnotherNetworkAreRefusedWithAllThatDiffers) {
  torch::manual_seed(1);
  Net net;
  const tests::Scratch scratch;
  save_weights(Net(4, "classifier"), scratch / "names.safetensors");
  save_weights(Net(5), scratch / "shapes.safetensors");
  const torch::Tensor before = net.convolution->weight.clone();

  EXPECT_THAT(
      [&] { load_weights(net, scratch / "names.safetensors"); },
      does_not_fit("; missing: head.bias, head.weight; unexpected: classifier.bias, classifier.weight"));
  EXPECT_THAT([&] { load_weights(net, scratch / "shapes.safetensors"); },
              does_not_fit("; misshapen: bn.bias (expected [4], got [5])"));
  EXPECT_THAT([&] { load_weights(net, scratch / "shapes.safetensors"); },
              does_not_fit("conv.weight (expected [4, 3, 3, 3], got [5, 3, 3, 3])"));
  EXPECT_TRUE(torch::equal(net.convolution->weight, before)) << "what is refused changes nothing";
  EXPECT_THAT([&] { load_weights(net, scratch / "none.safetensors"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("none.safetensors: No such file")));
}

TEST(Weights, WithoutBatchCountsAreAcceptedAndOthersAreNot) {
  torch::manual_seed(1);
  Net net;
  net.norm->num_batches_tracked.fill_(9);
  const tests::Scratch scratch;
  save_weights(Net(), scratch / "net.safetensors");
  copy_without(scratch / "net.safetensors", scratch / "old.safetensors", "num_batches_tracked");
  load_weights(net, scratch / "old.safetensors");
  EXPECT_EQ(net.norm->num_batches_tracked.item<std::int64_t>(), 9);
  copy_without(scratch / "net.safetensors", scratch / "cut.safetensors", "running_");
  EXPECT_THAT([&] { load_weights(net, scratch / "cut.safetensors"); },
              does_not_fit("; missing: bn.running_mean, bn.running_var"));
}

TEST(Weights, OfRealNumbersAreNotRoundedToIntegers) {
  torch::manual_seed(1);
  Net net;
  const tests::Scratch scratch;
  net.register_buffer("extra", torch::zeros({2}));
  save_weights(net, scratch / "net.safetensors");
  net.named_buffers()["extra"].set_data(torch::zeros({2}, torch::kLong));
  EXPECT_THAT([&] { load_weights(net, scratch / "net.safetensors"); },
              does_not_fit("misshapen: extra (expected integers of type Long, got F32)"));
}

TEST(Weights, ThatTheFormatLacksAreRefused) {
  torch::nn::Module module;
  module.register_buffer("z", torch::zeros({2}, torch::kComplexFloat));
  const tests::Scratch scratch;
  EXPECT_THAT([&] { save_weights(module, scratch / "net.safetensors"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("cannot save z of type ComplexFloat")));
  EXPECT_FALSE(std::filesystem::exists(scratch / "net.safetensors"));
}

}  // namespace
}  // namespace pair::models::weights_test
