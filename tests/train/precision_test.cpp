#include "pair/train/precision.h"

#include <gmock/gmock.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <cstdlib>
#include <memory>
#include <sstream>

#include "pair/models/registry.h"
#include "pair/models/torch_compat.h"
#include "pair/objectives/registry.h"
#include "pair/train/host_numbers.h"
#include "pair/train/step.h"
#include "pair/train/trainer.h"
#include "tests/train/normalized_model.h"
#include "tests/train/small_data.h"

namespace pair::train::precision_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// As 'pair' does (cli/blas.h), before oneDNN is first used.
[[maybe_unused]] const bool without_amx = [] {
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
  return true;
}();

// A few images whose brightness says the class.
std::shared_ptr<data::EnvironmentSet> images(std::int64_t side, std::int64_t samples = 8) {
  auto set = std::make_shared<data::EnvironmentSet>();
  set->name = "images";
  set->loss = data::TaskLoss::cross_entropy;
  set->outputs = 3;
  data::Random random(4, "images");
  for (int e = 0; e < 2; ++e) {
    data::Environment environment;
    environment.key = "env" + std::to_string(e) + "_in";
    environment.inputs = torch::empty({samples, 3, side, side});
    environment.labels = torch::empty({samples}, torch::kLong);
    for (std::int64_t i = 0; i < samples; ++i) {
      environment.labels[i] = i % 3;
      torch::Tensor flat = environment.inputs[i].view({-1});
      float* const numbers = flat.data_ptr<float>();
      for (std::int64_t j = 0; j < flat.numel(); ++j) {
        numbers[j] = static_cast<float>(0.3 * static_cast<double>(i % 3) + 0.2 * random.uniform());
      }
    }
    set->train.push_back(environment);
  }
  set->held_out = set->train;
  set->held_out[0].key = "env0_out";
  set->held_out[1].key = "env1_out";
  return set;
}

class Fp16Model : public testing::NormalizedModel {
 public:
  [[nodiscard]] bool steps_in_half() const override { return true; }
};

std::shared_ptr<models::Model> network(const std::string& name, std::int64_t side, bool frozen) {
  data::Random random(1, "model");
  return models::make_model(name, models::options_of(name, {{"freeze_bn", frozen ? "true" : "false"}}),
                            {.size = 3 * side * side, .shape = {3, side, side}, .outputs = 3}, random);
}

Settings settings_of(const std::string& model, Precision precision) {
  Settings settings;
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm"};
  settings.steps = 4;
  settings.batch = 4;
  settings.model = model;
  settings.precision = precision;
  return settings;
}

class Networks : public ::testing::TestWithParam<std::string> {};

TEST_P(Networks, InBf16HaveNearlyTheGradientOfFp32AndKeepTheirTypes) {
  const std::int64_t side = 32;
  // With frozen statistics: those of a few samples in an untrained network magnify any rounding.
  const std::shared_ptr<models::Model> model = network(GetParam(), side, /*frozen=*/true);
  model->train();
  const auto set = images(side);
  Batch batch;
  batch.inputs = torch::cat({set->train[0].inputs, set->train[1].inputs});
  batch.labels = torch::cat({set->train[0].labels, set->train[1].labels});
  batch.sizes = {8, 8};
  std::vector<std::unique_ptr<objectives::Objective>> objectives;
  for (const char* name : {"erm", "vrex"}) {
    objectives.push_back(objectives::make_objective(name));
  }
  data::Random draws(0, "draws");
  Step full(model, objectives, set->loss);
  Step mixed(model, objectives, set->loss, {.precision = Precision::bf16});
  const std::vector<double> weights{1.0, 0.5};
  const Step::Result exact = full.with_weights(batch, weights, draws);
  const Step::Result rounded = mixed.with_weights(batch, weights, draws);
  EXPECT_EQ(rounded.gradient.scalar_type(), torch::kFloat);
  const double cosine =
      (torch::dot(exact.gradient, rounded.gradient) / (exact.gradient.norm() * rounded.gradient.norm()))
          .item<double>();
  EXPECT_GT(cosine, 0.97);
  EXPECT_FALSE(torch::equal(exact.gradient, rounded.gradient)) << "bf16 was not used";
  EXPECT_NEAR(to_doubles(exact.losses)[0], to_doubles(rounded.losses)[0], 0.03 * to_doubles(exact.losses)[0]);
  for (const torch::Tensor& parameter : model->parameters()) {
    EXPECT_EQ(parameter.scalar_type(), torch::kFloat);
  }
  // Statistics that are not frozen are computed and kept in fp32.
  const std::shared_ptr<models::Model> trained = network(GetParam(), side, /*frozen=*/false);
  trained->train();
  (void)features_in(Precision::bf16, *trained, batch.inputs);
  for (const auto& buffer : trained->named_buffers()) {
    EXPECT_NE(buffer.value().scalar_type(), torch::kBFloat16) << buffer.key();
    EXPECT_TRUE(torch::isfinite(buffer.value()).all().item<bool>()) << buffer.key();
  }
  EXPECT_EQ(features_in(Precision::bf16, *model, batch.inputs).scalar_type(), torch::kFloat);
}

INSTANTIATE_TEST_SUITE_P(Precision, Networks, ::testing::Values("resnet18", "resnet50", "densenet121"),
                         [](const auto& network) { return network.param; });

TEST(PrecisionScope, LeavesTheThreadAsItWas) {
  ASSERT_FALSE(models::compat::autocast_enabled(torch::kCPU));
  {
    const Bf16Scope scope(torch::kCPU, true);
    EXPECT_TRUE(models::compat::autocast_enabled(torch::kCPU));
    const torch::Tensor product = torch::mm(torch::ones({2, 2}), torch::ones({2, 2}));
    EXPECT_EQ(product.scalar_type(), torch::kBFloat16);
    const Bf16Scope off(torch::kCPU, false);
    EXPECT_TRUE(models::compat::autocast_enabled(torch::kCPU));
  }
  EXPECT_FALSE(models::compat::autocast_enabled(torch::kCPU));
  EXPECT_EQ(torch::mm(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type(), torch::kFloat);
}

TEST(PrecisionOfTraining, InBf16LearnsAndContinuesBitForBit) {
  const auto set = images(32);
  const Settings settings = settings_of("resnet18", Precision::bf16);
  Trainer whole(set, settings, 1);
  Trainer half(set, settings, 1);
  for (int i = 0; i < 4; ++i) {
    whole.advance();
  }
  half.advance();
  half.advance();
  std::stringstream state;
  half.save(state);
  Trainer rest(set, settings, 1);
  rest.load(state);
  rest.advance();
  rest.advance();
  const Evaluation expected = whole.evaluate();
  const Evaluation found = rest.evaluate();
  EXPECT_EQ(found.losses, expected.losses);
  for (std::size_t i = 0; i < expected.scores.size(); ++i) {
    EXPECT_EQ(found.scores[i].value, expected.scores[i].value);
  }
  Trainer full(set, settings_of("resnet18", Precision::fp32), 1);
  for (int i = 0; i < 4; ++i) {
    full.advance();
  }
  EXPECT_NE(full.evaluate().losses, expected.losses);
}

TEST(PrecisionOfTraining, SaysThatANetworkWithItsOwnKernelsHasNoBf16) {
  const auto set = testing::small_data();
  Settings settings = settings_of("mlp", Precision::bf16);
  Trainer trainer(set, settings, 1);
  EXPECT_THAT(trainer.take_notices(),
              Contains(HasSubstr("precision bf16 has no effect on the steps of mlp")));
  trainer.advance();
  settings.precision = Precision::fp32;
  Trainer plain(set, settings, 1);
  plain.advance();
  EXPECT_EQ(trainer.evaluate().losses, plain.evaluate().losses);
}

TEST(PrecisionOfTraining, IsNotBf16AndHalfAtOnce) {
  Settings settings = settings_of("mnist_cnn", Precision::bf16);
  settings.model_options = models::options_of("mnist_cnn", {{"half", "true"}});
  EXPECT_THAT([&] { validate(settings); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("half: expected false with precision bf16")));
}

TEST(PrecisionOfTraining, IsNotBf16ForAModelThatStepsInFp16) {
  const auto set = testing::small_data();
  const Settings settings = settings_of("mlp", Precision::bf16);
  EXPECT_THAT(
      [&] { Trainer(set, std::make_shared<Fp16Model>(), settings, 1); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("precision: expected fp32 or tf32 with a model")));
}

// On a CUDA device: steps are recorded, give nearly the losses of the CPU, and the same ones every time.
TEST(DevicePrecision, OfResNetsStepsIsRecordedAndRepeatable) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device here";
  }
  const auto set = images(32);
  Settings settings = settings_of("resnet18", Precision::fp32);
  settings.model_options = models::options_of("resnet18", {{"freeze_bn", "true"}});
  const auto trained = [&](torch::Device device) {
    use_tf32(settings.precision != Precision::fp32);
    Trainer trainer(set, settings, 1, device);
    while (!trainer.finished()) {
      trainer.advance();
    }
    EXPECT_THAT(trainer.take_notices(), ::testing::Not(Contains(HasSubstr("cannot be recorded"))));
    std::vector<double> losses = trainer.evaluate().losses;
    use_tf32(false);
    return losses;
  };
  const double expected = trained(torch::kCPU)[0];
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    for (const std::int64_t parts : {1, 2}) {
      settings.precision = precision;
      settings.accumulate = parts;
      const std::vector<double> once = trained(torch::kCUDA);
      EXPECT_NEAR(once[0], expected, 0.1 * expected) << to_string(precision) << ' ' << parts;
      EXPECT_EQ(trained(torch::kCUDA), once) << to_string(precision) << ' ' << parts;
    }
  }
}

}  // namespace
}  // namespace pair::train::precision_test
