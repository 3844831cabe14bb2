#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "pair/models/model.h"
#include "pair/models/registry.h"

namespace pair::models::models_test {
namespace {

using data::Random;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The arguments of make_model, in one value.
struct ModelSpec {
  std::string name = "mlp";
  std::int64_t input_size = 0;
  std::int64_t outputs = 1;
  std::vector<std::pair<std::string, std::string>> options = {};
  std::vector<std::int64_t> input_shape = {};
};

std::shared_ptr<Model> make(const ModelSpec& spec, std::uint64_t seed = 1) {
  Random random(seed, "model");
  return make_model(spec.name, options_of(spec.name, spec.options),
                    {.size = spec.input_size, .shape = spec.input_shape, .outputs = spec.outputs}, random);
}

ModelSpec paper_mlp() {
  ModelSpec spec;
  spec.input_size = 392;
  return spec;
}

std::vector<std::vector<std::int64_t>> shapes(const std::vector<torch::Tensor>& tensors) {
  std::vector<std::vector<std::int64_t>> all;
  for (const torch::Tensor& tensor : tensors) {
    all.push_back(tensor.sizes().vec());
  }
  return all;
}

using Shape = std::vector<std::int64_t>;

auto refused(const std::string& sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
}

TEST(Mlp, DefaultIsThePapers) {
  const auto model = make(paper_mlp());
  EXPECT_THAT(shapes(model->featurizer_parameters()),
              ElementsAre(Shape{256, 392}, Shape{256}, Shape{256, 256}, Shape{256}));
  EXPECT_THAT(shapes(model->head_parameters()), ElementsAre(Shape{1, 256}, Shape{1}));
  EXPECT_EQ(model->parameters().size(), 6U);
  std::vector<std::string> names;
  for (const auto& parameter : model->named_parameters()) {
    names.push_back(parameter.key());
  }
  EXPECT_THAT(names, ElementsAre("hidden0.weight", "hidden0.bias", "hidden1.weight", "hidden1.bias",
                                 "head.weight", "head.bias"));
}

TEST(Mlp, IsLayersOfReluUnderALinearHead) {
  const auto model = make({"mlp", 6, 3, {{"width", "5"}, {"depth", "2"}}});
  const torch::Tensor inputs = torch::arange(24, torch::kFloat32).reshape({4, 2, 3}) / 10 - 1;
  torch::Tensor rows = inputs.reshape({4, 6});
  const auto parameters = model->featurizer_parameters();
  for (std::size_t layer = 0; layer < parameters.size(); layer += 2) {
    rows = torch::relu(rows.mm(parameters[layer].t()) + parameters[layer + 1]);
  }
  EXPECT_TRUE(torch::allclose(model->features(inputs), rows));
  const torch::Tensor logits = rows.mm(model->head->weight.t()) + model->head->bias;
  EXPECT_TRUE(torch::allclose(model->logits(model->features(inputs)), logits));
  EXPECT_TRUE(torch::allclose(model->forward(inputs), logits));
  EXPECT_EQ(model->forward(inputs).sizes().vec(), (Shape{4, 3}));
}

TEST(Mlp, HasTheWidthAndDepthAskedFor) {
  const auto model = make({"mlp", 4, 1, {{"width", "7"}, {"depth", "3"}}});
  EXPECT_THAT(shapes(model->featurizer_parameters()),
              ElementsAre(Shape{7, 4}, Shape{7}, Shape{7, 7}, Shape{7}, Shape{7, 7}, Shape{7}));
}

TEST(Mlp, GradientsReachEveryParameter) {
  const auto model = make({"mlp", 4, 1, {{"width", "8"}, {"depth", "2"}}});
  model->forward(torch::ones({3, 4})).sum().backward();
  for (const auto& parameter : model->named_parameters()) {
    EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
  }
}

TEST(Linear, FeaturesAreTheInputsAndTheHeadIsAll) {
  const auto model = make({"linear", 6, 2});
  const torch::Tensor inputs = torch::arange(12, torch::kFloat32).reshape({2, 3, 2});
  EXPECT_TRUE(torch::equal(model->features(inputs), inputs.reshape({2, 6})));
  EXPECT_TRUE(model->featurizer_parameters().empty());
  EXPECT_THAT(shapes(model->head_parameters()), ElementsAre(Shape{2, 6}, Shape{2}));
  EXPECT_TRUE(torch::allclose(model->forward(inputs), inputs.reshape({2, 6}).mm(model->head->weight.t())));
}

TEST(Models, WeightsAreXavierUniformAndBiasesZero) {
  const auto model = make(paper_mlp());
  for (const auto& parameter : model->named_parameters()) {
    const torch::Tensor& values = parameter.value();
    if (values.dim() == 1) {
      EXPECT_EQ(values.abs().max().item<float>(), 0.0F) << parameter.key();
      continue;
    }
    const double bound = std::sqrt(6.0 / static_cast<double>(values.size(0) + values.size(1)));
    EXPECT_LE(values.abs().max().item<float>(), static_cast<float>(bound)) << parameter.key();
    EXPECT_GT(values.abs().max().item<double>(), 0.95 * bound) << parameter.key();
    const double deviations =
        5.0 /
        std::sqrt(static_cast<double>(values.numel()));  // of the mean and of the spread, in units of it
    EXPECT_NEAR(values.mean().item<double>() / (bound / std::sqrt(3.0)), 0.0, deviations) << parameter.key();
    EXPECT_NEAR(values.std().item<double>() / (bound / std::sqrt(3.0)), 1.0, deviations) << parameter.key();
  }
}

TEST(Models, WeightsAreDrawnInOrderFromTheGeneratorAlone) {
  Random random(5, "model");
  const auto model = make({"mlp", 3, 1, {{"width", "2"}, {"depth", "1"}}}, 5);
  for (const auto& parameter : model->named_parameters()) {
    const torch::Tensor& values = parameter.value();
    if (values.dim() == 1) {
      continue;
    }
    const double bound = std::sqrt(6.0 / static_cast<double>(values.size(0) + values.size(1)));
    for (std::int64_t i = 0; i < values.size(0); ++i) {
      for (std::int64_t j = 0; j < values.size(1); ++j) {
        EXPECT_EQ(values[i][j].item<float>(), static_cast<float>(random.uniform(-bound, bound)));
      }
    }
  }
  torch::manual_seed(99);
  const auto again = make({"mlp", 3, 1, {{"width", "2"}, {"depth", "1"}}}, 5);
  const auto other = make({"mlp", 3, 1, {{"width", "2"}, {"depth", "1"}}}, 6);
  EXPECT_TRUE(torch::equal(again->head->weight, model->head->weight));
  EXPECT_FALSE(torch::equal(other->head->weight, model->head->weight));
}

TEST(Models, InputsOfAnotherSizeAreRefused) {
  for (const std::string name : {"mlp", "linear"}) {
    const auto model = make({name, 6, 1});
    EXPECT_THAT(
        [&] {
          model->forward(torch::zeros({5, 7}));
        },
        refused("inputs: expected shape [n, ...] with 6 numbers per input, got [5, 7]"));
    EXPECT_THAT([&] { model->forward(torch::zeros({})); }, refused("expected shape [n, ...]"));
    EXPECT_EQ(model->forward(torch::zeros({0, 6})).sizes().vec(), (Shape{0, 1}));
  }
}

TEST(Models, AreKnownByName) {
  for (const ModelEntry& info : models()) {
    ModelSpec spec{info.name, 3};
    spec.input_shape = {1, 1, 3};
    if (info.name == "densenet121") {
      spec.input_shape = {1, 32, 32};  // the smallest that it halves five times
    }
    if (info.name == "distilbert") {
      spec.input_shape = {3};  // token ids
    }
    EXPECT_NE(make(spec), nullptr);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_THAT(
      [] {
        make({"mpl", 3});
      },
      ThrowsMessage<std::invalid_argument>(
          AllOf(HasSubstr("unknown model 'mpl'"), HasSubstr("did you mean 'mlp'?"), HasSubstr("linear"))));
}

TEST(Models, SizesOutOfRangeAreNamed) {
  EXPECT_THAT(
      [] {
        make({"mlp", 0});
      },
      refused("a model's input size: expected an integer from 1 to 1073741824, got 0"));
  EXPECT_THAT([] { make({"linear", 3, 0}); }, refused("a model's outputs: expected an integer from 1"));
  const auto making = [](const char* option, const char* text) {
    return [=] { make({"mlp", 3, 1, {{option, text}}}); };
  };
  EXPECT_THAT(making("width", "65537"), refused("width: expected an integer from 1 to 65536, got '65537'"));
  EXPECT_THAT(making("depth", "0"), refused("depth: expected an integer from 1 to 64, got '0'"));
  EXPECT_THAT(
      [] {
        make({"linear", 3, 1, {{"width", "8"}}});
      },
      refused("unknown option 'width'"))
      << "a linear model has no hidden layers";
}

ModelSpec digits_cnn(std::int64_t channels = 2, std::int64_t outputs = 2) {
  ModelSpec spec;
  spec.name = "mnist_cnn";
  spec.input_size = channels * 28 * 28;
  spec.outputs = outputs;
  spec.input_shape = {channels, 28, 28};
  return spec;
}

TEST(MnistCnn, IsDomainBedsNetwork) {
  const auto model = make(digits_cnn());
  EXPECT_THAT(shapes(model->featurizer_parameters()),
              ElementsAre(Shape{64, 2, 3, 3}, Shape{64}, Shape{64}, Shape{64}, Shape{128, 64, 3, 3},
                          Shape{128}, Shape{128}, Shape{128}, Shape{128, 128, 3, 3}, Shape{128}, Shape{128},
                          Shape{128}, Shape{128, 128, 3, 3}, Shape{128}, Shape{128}, Shape{128}));
  EXPECT_THAT(shapes(model->head_parameters()), ElementsAre(Shape{2, 128}, Shape{2}));
  EXPECT_EQ(make(digits_cnn(1, 10))->forward(torch::zeros({3, 1, 28, 28})).sizes().vec(), (Shape{3, 10}));
}

TEST(MnistCnn, IsConvolutionsReluAndGroupNormUnderAMean) {
  const auto model = make(digits_cnn());
  const torch::Tensor inputs =
      torch::linspace(-1, 1, std::int64_t{3} * 2 * 28 * 28).reshape({3, 2, 28, 28}).sin();
  torch::Tensor images = inputs;
  const auto parameters = model->featurizer_parameters();
  for (std::size_t layer = 0; layer < 4; ++layer) {
    const std::int64_t stride = layer == 1 ? 2 : 1;
    images = torch::relu(torch::conv2d(images, parameters[4 * layer], parameters[4 * layer + 1], stride, 1));
    images = torch::group_norm(images, 8, parameters[4 * layer + 2], parameters[4 * layer + 3]);
  }
  EXPECT_EQ(images.sizes().vec(), (Shape{3, 128, 14, 14}));
  EXPECT_TRUE(torch::allclose(model->features(inputs), images.mean({2, 3}), 1e-5, 1e-6));
}

TEST(MnistCnn, StartsFromPyTorchsDefaultDrawnFromTheSeedAlone) {
  const auto model = make(digits_cnn(), 1);
  const auto parameters = model->named_parameters();
  for (const auto& [name, fan_in] : {std::pair("conv1", 2 * 9.0), std::pair("conv2", 64 * 9.0),
                                     std::pair("conv4", 128 * 9.0), std::pair("head", 128.0)}) {
    const double bound = 1.0 / std::sqrt(fan_in);
    const torch::Tensor weight = parameters[std::string(name) + ".weight"];
    EXPECT_LE(weight.abs().max().item<double>(), bound * (1 + 1e-6)) << name;
    EXPECT_NEAR(weight.square().mean().item<double>(), bound * bound / 3, 0.15 * bound * bound) << name;
    EXPECT_LE(parameters[std::string(name) + ".bias"].abs().max().item<double>(), bound * (1 + 1e-6)) << name;
    EXPECT_GT(parameters[std::string(name) + ".bias"].abs().max().item<double>(), 0.0) << name;
  }
  EXPECT_TRUE(parameters["norm1.weight"].eq(1).all().item<bool>());
  EXPECT_TRUE(parameters["norm1.bias"].eq(0).all().item<bool>());
  const auto twin = make(digits_cnn(), 1);
  const auto other = make(digits_cnn(), 2);
  EXPECT_TRUE(torch::equal(parameters["conv3.bias"], twin->named_parameters()["conv3.bias"]));
  EXPECT_FALSE(torch::equal(parameters["conv3.bias"], other->named_parameters()["conv3.bias"]));
}

TEST(MnistCnn, RefusesInputsThatAreNotImages) {
  ModelSpec flat = digits_cnn();
  flat.input_shape = {392};
  EXPECT_THAT([&] { (void)make(flat); },
              refused("model: expected a model for vectors of numbers, such as rows "
                      "of a table (mlp"));
  EXPECT_THAT([&] { (void)make(flat); }, refused("), got 'mnist_cnn', which is for images"));
  const auto model = make(digits_cnn());
  EXPECT_THAT(
      [&] {
        (void)model->features(torch::zeros({3, 392}));
      },
      refused("mnist_cnn: expected inputs of shape [n, channels, rows, columns], got [3, 392]"));
}

// Before anything is built: a model that does not fit is found before a run's folder is made.
TEST(Model, IsRefusedForDataOfAnotherKind) {
  const auto refusal = [](const std::string& name, const ModelInput& input,
                          const base::Assignments& changes) {
    require_fit(name, options_of(name, changes), input);
  };
  const ModelInput row{.size = 4, .shape = {4}, .tokens = 0};
  const ModelInput image{.size = std::int64_t{3} * 16 * 16, .shape = {3, 16, 16}, .tokens = 0};
  const ModelInput text{.size = 8, .shape = {8}, .tokens = 100};
  EXPECT_THAT([&] { refusal("resnet18", row, {}); },
              refused("model: expected a model for vectors of numbers, such as rows of a table (mlp"));
  EXPECT_THAT([&] { refusal("resnet18", row, {}); }, refused("), got 'resnet18', which is for images"));
  EXPECT_THAT([&] { refusal("distilbert", row, {}); }, refused("got 'distilbert', which is for texts as"));
  EXPECT_THAT([&] { refusal("distilbert", image, {}); },
              refused("model: expected a model for images (mlp, "));
  EXPECT_THAT([&] { refusal("mlp", text, {}); },
              refused("model: expected a model for texts as token ids (distilbert), got 'mlp', which is for "
                      "numbers"));
  EXPECT_THAT(
      [&] {
        refusal("distilbert", text, {{"distilbert_vocabulary", "99"}});
      },
      refused("distilbert_vocabulary: expected more than the largest token id, 99, got 99"));
  EXPECT_THAT([&] { refusal("densenet121", image, {}); }, refused("at least 32 rows and columns"));
  EXPECT_NO_THROW(refusal("mlp", row, {}));
  EXPECT_NO_THROW(refusal("linear", image, {}));
  EXPECT_NO_THROW(refusal("resnet50", image, {}));
  EXPECT_NO_THROW(refusal("distilbert", text, {{"distilbert_vocabulary", "100"}}));
}

TEST(Model, HasNoPassByHandOnTheCpu) {
  for (const std::string name : {"mlp", "linear"}) {
    const auto model = make({.name = name, .input_size = 12});
    EXPECT_EQ(model->rectified_pass(torch::zeros({5, 12})), nullptr) << name;
  }
}

}  // namespace
}  // namespace pair::models::models_test
