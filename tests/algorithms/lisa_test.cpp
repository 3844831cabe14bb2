#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <cmath>

#include "pair/algorithms/beta.h"
#include "pair/algorithms/registry.h"
#include "pair/base/registry.h"
#include "pair/models/model.h"
#include "pair/train/algorithm.h"
#include "pair/train/trainer.h"
#include "tests/train/small_data.h"

namespace pair::train::lisa_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// z = w . x of two inputs. Its features are the inputs' squares if `squares`.
class PlainNet final : public models::Model {
 public:
  explicit PlainNet(bool squares = false) : squares_(squares) {
    head = register_module("head", torch::nn::Linear(2, 1));
    const torch::NoGradGuard no_graph;
    head->weight.copy_(torch::tensor({{0.7, -0.4}}));
    head->bias.copy_(torch::tensor({0.1}));
  }
  torch::Tensor features(const torch::Tensor& inputs) override {
    const torch::Tensor rows = inputs.dim() == 4 ? inputs.mean({2, 3}) : inputs.to(torch::kFloat);
    return squares_ ? rows.square() : rows;
  }

 private:
  bool squares_;
};

Settings lisa_settings(const std::vector<std::pair<std::string, std::string>>& changes) {
  Settings settings;
  settings.scheme = Scheme::own;
  settings.update = algorithms::algorithm_named("lisa").update;
  settings.update.options = base::with_changes(settings.update.options, changes);
  settings.objectives = {"erm"};
  settings.preference = {};
  settings.lr = 0.1;
  settings.l2 = 0.0;
  return settings;
}

std::unique_ptr<Algorithm> lisa_of(const std::shared_ptr<models::Model>& net,
                                   const std::vector<std::pair<std::string, std::string>>& changes) {
  const Settings settings = lisa_settings(changes);
  return settings.update.make(
      {.settings = settings, .data = *testing::small_data(), .model = net, .seed = 0, .device = torch::kCPU});
}

// Two environments with one sample of each label: partners are determined.
Batch four_samples() {
  return {torch::tensor({{1.0, 0.5}, {-0.5, 1.0}, {0.8, -0.6}, {-1.1, 0.2}}, torch::kFloat),
          torch::tensor({1.0, 0.0, 1.0, 0.0}, torch::kFloat),
          {2, 2}};
}

double plain_loss(double z, double y) {
  return std::log1p(std::exp(z)) - y * z;
}

// The loss by the formula, sample by sample, with the partners given and the shares drawn as LISA draws them.
double expected_loss(const Batch& batch, const std::vector<std::size_t>& partners, double p, double alpha,
                     bool squares) {
  data::Random random(3, "lisa");
  (void)random.bernoulli(p);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] != i) {
      (void)random.below(1);
    }
  }
  const auto x = batch.inputs.accessor<float, 2>();
  const auto y = batch.labels.accessor<float, 1>();
  double sum = 0.0;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const double s = algorithms::draw_beta(alpha, random);
    double z = 0.1;
    for (int k = 0; k < 2; ++k) {
      const double own = x[static_cast<std::int64_t>(i)][k];
      const double other = x[static_cast<std::int64_t>(partners[i])][k];
      const double mixed = squares ? s * own * own + (1 - s) * other * other : s * own + (1 - s) * other;
      z += (k == 0 ? 0.7 : -0.4) * mixed;
    }
    sum += s * plain_loss(z, y[static_cast<std::int64_t>(i)]) +
           (1 - s) * plain_loss(z, y[static_cast<std::int64_t>(partners[i])]);
  }
  return sum / static_cast<double>(partners.size());
}

double loss_of(Algorithm& lisa, const Batch& batch) {
  data::Random random(3, "lisa");
  lisa.advance(batch, 0.1, random);
  return lisa.losses().at(0).second;
}

TEST(Lisa, MixesSamplesOfOneLabelAcrossEnvironments) {
  const auto lisa = lisa_of(std::make_shared<PlainNet>(), {{"lisa_same_label", "1"}});
  EXPECT_NEAR(loss_of(*lisa, four_samples()), expected_loss(four_samples(), {2, 3, 0, 1}, 1, 2, false), 1e-6);
}

TEST(Lisa, MixesLabelsWithinAnEnvironment) {
  const auto lisa = lisa_of(std::make_shared<PlainNet>(), {{"lisa_same_label", "0"}, {"lisa_alpha", "0.5"}});
  EXPECT_NEAR(loss_of(*lisa, four_samples()), expected_loss(four_samples(), {1, 0, 3, 2}, 0, 0.5, false),
              1e-6);
}

TEST(Lisa, MixesFeaturesIfAsked) {
  const auto lisa =
      lisa_of(std::make_shared<PlainNet>(true), {{"lisa_same_label", "1"}, {"lisa_mix", "features"}});
  EXPECT_NEAR(loss_of(*lisa, four_samples()), expected_loss(four_samples(), {2, 3, 0, 1}, 1, 2, true), 1e-6);
}

TEST(Lisa, LeavesASampleWithoutAPartnerAsItIs) {
  // One environment: no sample of the same label is in another.
  Batch alone = four_samples();
  alone.sizes = {4};
  const auto lisa = lisa_of(std::make_shared<PlainNet>(), {{"lisa_same_label", "1"}});
  double plain = 0.0;
  const auto x = alone.inputs.accessor<float, 2>();
  const auto y = alone.labels.accessor<float, 1>();
  for (int i = 0; i < 4; ++i) {
    plain += plain_loss(0.1 + 0.7 * x[i][0] - 0.4 * x[i][1], y[i]) / 4;
  }
  EXPECT_NEAR(loss_of(*lisa, alone), plain, 1e-6);
}

TEST(Lisa, CutsARectangleFromImagesAndCountsItsArea) {
  // The partner of each sample is one of the other environment; images are constant, so that their mean shows
  // the area.
  Batch batch{torch::empty({2, 2, 8, 10}), torch::tensor({1.0, 1.0}, torch::kFloat), {1, 1}};
  batch.inputs[0].fill_(1.0);
  batch.inputs[1].fill_(-2.0);
  const auto lisa = lisa_of(std::make_shared<PlainNet>(), {{"lisa_same_label", "1"}});
  const double loss = loss_of(*lisa, batch);
  data::Random random(3, "lisa");
  (void)random.bernoulli(1);
  (void)random.below(1);
  (void)random.below(1);
  const double side = std::sqrt(1.0 - algorithms::draw_beta(2, random));
  std::int64_t area = 1;
  for (const std::int64_t size : {8, 10}) {
    const auto half = static_cast<std::int64_t>(side * static_cast<double>(size)) / 2;
    const auto middle = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size)));
    area *= std::min(middle + half, size) - std::max<std::int64_t>(middle - half, 0);
  }
  ASSERT_GT(area, 0);
  const double cut = static_cast<double>(area) / 80;
  const auto z = [](double mean) { return 0.1 + (0.7 - 0.4) * mean; };
  EXPECT_NEAR(loss, (plain_loss(z(1.0 - 3.0 * cut), 1) + plain_loss(z(-2.0 + 3.0 * cut), 1)) / 2, 1e-6);
}

// The network of golden/make_lisa.py.
class GoldenNet final : public models::Model {
 public:
  explicit GoldenNet(std::int64_t inputs) {
    first = register_module("first", torch::nn::Linear(inputs, 3));
    head = register_module("head", torch::nn::Linear(3, 2));
    const torch::NoGradGuard no_graph;
    for (const auto& [layer, size] : {std::pair(first, 0.3), std::pair(head, 0.7)}) {
      const torch::Tensor places = torch::arange(layer->weight.numel(), torch::kFloat);
      layer->weight.copy_(size * torch::sin(0.9 * places + 0.4).view_as(layer->weight));
      layer->bias.copy_(0.1 * torch::cos(torch::arange(layer->bias.numel(), torch::kFloat)));
    }
  }
  torch::Tensor features(const torch::Tensor& inputs) override {
    return torch::tanh(first->forward(inputs.flatten(1)));
  }
  torch::nn::Linear first{nullptr};
};

// One step by the authors' code, on the same draws: the shares of data::Random(3, "lisa") after the draws of
// the partners.
struct GoldenStep {
  const char* mix;
  double loss;
  std::vector<double> head;       // weights after the step
  std::vector<double> first_row;  // the beginning of those of the first layer
};

void expect_step(const GoldenStep& golden, const torch::Tensor& inputs) {
  SCOPED_TRACE(golden.mix);
  const auto net = std::make_shared<GoldenNet>(inputs[0].numel());
  Settings settings = lisa_settings({{"lisa_same_label", "1"}, {"lisa_mix", golden.mix}});
  settings.optimizer = Optimizer::sgd;
  const auto lisa = settings.update.make({.settings = settings,
                                          .data = *testing::small_picture_data(4),
                                          .model = net,
                                          .seed = 0,
                                          .device = torch::kCPU});
  const Batch batch{inputs, torch::tensor({1, 0, 1, 0}, torch::kLong), {2, 2}};
  EXPECT_NEAR(loss_of(*lisa, batch), golden.loss, 2e-6);
  const auto close = [](const torch::Tensor& numbers, const std::vector<double>& expected) {
    const torch::Tensor flat = numbers.flatten().slice(0, 0, std::ssize(expected)).to(torch::kDouble);
    return torch::allclose(flat, torch::tensor(expected, torch::kDouble), 0, 2e-6);
  };
  EXPECT_TRUE(close(net->head->weight, golden.head)) << net->head->weight;
  EXPECT_TRUE(close(net->first->weight[0], golden.first_row)) << net->first->weight;
}

TEST(Lisa, TakesTheStepsOfTheAuthorsCode) {
  data::Random random(3, "lisa");
  (void)random.bernoulli(1);
  for (int i = 0; i < 4; ++i) {
    (void)random.below(1);
  }
  data::Random cut = random;
  // The constants of golden/make_lisa.py.
  for (const double share :
       {0.67372773765036487, 0.41496174969918354, 0.3713662610248174, 0.64238371947942696}) {
    EXPECT_NEAR(algorithms::draw_beta(2, random), share, 1e-15);
  }
  EXPECT_NEAR(algorithms::draw_beta(2, cut), 0.67372773765036487, 1e-15);
  EXPECT_EQ(cut.below(8), 2U);
  EXPECT_EQ(cut.below(10), 9U);
  const torch::Tensor pictures = torch::sin(0.37 * torch::arange(640, torch::kFloat)).view({4, 2, 8, 10});
  expect_step({"features",
               0.739453852,
               {0.270207644, 0.663462937, 0.573228121, 0.0314917415, -0.518733919, -0.694997489},
               {0.106009744, 0.291564077}},
              four_samples().inputs);
  expect_step({"input",
               0.737824917,
               {0.270187587, 0.663460076, 0.573366284, 0.0315117761, -0.518731058, -0.695135653},
               {0.105850197, 0.291544855}},
              four_samples().inputs);
  expect_step({"cutmix",
               0.555403233,
               {0.274072111, 0.681774855, 0.566467285, 0.0276272539, -0.537045836, -0.688236654},
               {0.117586635, 0.288922042, 0.24151659, 0.0106947431}},
              pictures);
}

// A regression's labels are compared, not mixed: here the first and the third sample have the same.
TEST(Lisa, MixesEqualLabelsOfARegression) {
  auto regression = testing::small_data();
  regression->loss = data::TaskLoss::squared_error;
  const auto loss_at = [&](double third, double alpha) {
    const Settings settings =
        lisa_settings({{"lisa_same_label", "1"}, {"lisa_alpha", std::to_string(alpha)}});
    const auto lisa = settings.update.make({.settings = settings,
                                            .data = *regression,
                                            .model = std::make_shared<PlainNet>(),
                                            .seed = 0,
                                            .device = torch::kCPU});
    Batch batch = four_samples();
    batch.labels = torch::tensor({0.25, 0.5, third, 0.75}, torch::kFloat);
    return loss_of(*lisa, batch);
  };
  const auto x = four_samples().inputs;
  const auto squared = [&](int sample, double label) {
    const double z = 0.1 + 0.7 * x[sample][0].item<double>() - 0.4 * x[sample][1].item<double>() - label;
    return z * z;
  };
  const double alone = (squared(0, 0.25) + squared(1, 0.5) + squared(2, 0.26) + squared(3, 0.75)) / 4;
  EXPECT_NEAR(loss_at(0.26, 2), alone, 1e-6) << "labels that are only close are not equal";
  EXPECT_NE(loss_at(0.25, 2), loss_at(0.25, 0.5)) << "the shares matter where samples are mixed";
}

TEST(Lisa, LearnsOnSmallData) {
  Settings settings = lisa_settings({});
  settings.steps = 200;
  settings.pretrain = 0;
  settings.batch = 16;
  settings.lr = 0.01;
  Trainer trainer(testing::small_data(), settings, 1);
  while (!trainer.finished()) {
    trainer.advance();
  }
  EXPECT_GT(trainer.evaluate().scores.front().value, 0.7);
}

TEST(Lisa, RefusesWhatItCannotMix) {
  auto regression = testing::small_data();
  regression->loss = data::TaskLoss::squared_error;
  const Settings settings = lisa_settings({});
  EXPECT_THAT(
      [&] {
        (void)settings.update.make({.settings = settings,
                                    .data = *regression,
                                    .model = std::make_shared<PlainNet>(),
                                    .seed = 0,
                                    .device = torch::kCPU});
      },
      ThrowsMessage<std::invalid_argument>(
          "lisa_same_label: expected 1 for a regression, whose labels are not mixed, got 0.5"));
  data::Random random(0, "test");
  const auto cut = lisa_of(std::make_shared<PlainNet>(), {{"lisa_mix", "cutmix"}});
  EXPECT_THAT([&] { cut->advance(four_samples(), 0.1, random); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("for data that are not images, got cutmix")));
  Batch ids = four_samples();
  ids.inputs = torch::ones({4, 2}, torch::kInt);
  const auto inputs = lisa_of(std::make_shared<PlainNet>(), {{"lisa_mix", "input"}});
  EXPECT_THAT(
      [&] { inputs->advance(ids, 0.1, random); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("lisa_mix: expected features or auto for texts")));
}

}  // namespace
}  // namespace pair::train::lisa_test
