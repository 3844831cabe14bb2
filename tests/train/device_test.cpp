#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <thread>

#include "pair/algorithms/registry.h"
#include "pair/device/head.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/host_numbers.h"
#include "pair/train/minibatches.h"
#include "pair/train/precision.h"
#include "pair/train/step.h"
#include "pair/train/trainer.h"
#include "pair/train/update.h"
#include "tests/train/normalized_model.h"
#include "tests/train/small_data.h"

// Tests that need a CUDA device; skipped without one.

namespace pair::train::device_test {
namespace {

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "no CUDA device here";
    }
    use_tf32(false);
  }
};

Settings settings_of(std::int64_t batch = 0) {
  Settings settings;
  settings.steps = 60;
  settings.pretrain = 20;
  settings.model_options = models::options_of("mlp", {{"width", "16"}});
  settings.balance_lr = 0.05;
  settings.batch = batch;
  return settings;
}

// mnist_cnn's, with minibatches, both phases and an update of each kind.
Settings picture_settings() {
  Settings settings = settings_of(16);
  settings.model = "mnist_cnn";
  settings.steps = 24;
  settings.pretrain = 8;
  settings.balance_lr = 0.01;
  settings.backtrack = false;
  return settings;
}

Settings in_half(Settings settings) {
  settings.model_options = models::options_of("mnist_cnn", {{"half", "true"}});
  return settings;
}

std::shared_ptr<data::EnvironmentSet> data_of(const Settings& settings) {
  return settings.model == "mnist_cnn" ? testing::small_picture_data() : testing::small_data(0, 500);
}

std::vector<Evaluation> trained(const Settings& settings, torch::Device device, std::int64_t every = 1,
                                std::uint64_t seed = 1) {
  const auto data = std::make_shared<data::EnvironmentSet>(data::on_device(*data_of(settings), device));
  Trainer trainer(data, settings, seed, device);
  std::vector<Evaluation> evaluations;
  while (!trainer.finished()) {
    trainer.advance();
    if (trainer.step() % every == 0) {
      evaluations.push_back(trainer.evaluate());
    }
  }
  return evaluations;
}

void expect_same(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.losses, b.losses) << a.step;
  EXPECT_EQ(a.weights, b.weights) << a.step;
  EXPECT_EQ(a.loss, b.loss) << a.step;
  for (std::size_t i = 0; i < a.scores.size(); ++i) {
    EXPECT_EQ(a.scores[i].value, b.scores[i].value) << a.step;
  }
}

void expect_same_steps(const Settings& settings, double within) {
  const auto here = trained(settings, torch::kCPU);
  const auto there = trained(settings, torch::kCUDA);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    for (std::size_t k = 0; k < here[i].losses.size(); ++k) {
      EXPECT_NEAR(there[i].losses[k], here[i].losses[k], within * std::abs(here[i].losses[k]) + 1e-9)
          << "step " << i << ", objective " << k;
      EXPECT_NEAR(there[i].weights[k], here[i].weights[k], 1e-3) << "step " << i << ", objective " << k;
    }
    EXPECT_NEAR(there[i].loss, here[i].loss, 1e-4 * std::abs(here[i].loss) + 1e-9);
  }
}

// Steps that are recorded from the second on, against the CPU's: 20 of the descent and as many of the
// balance.
TEST_F(OnDevice, TakesTheStepsOfTheCpu) {
  for (const std::int64_t batch : {0, 32}) {
    for (const std::int64_t pretrain : {0, 20}) {
      SCOPED_TRACE("batch " + std::to_string(batch) + ", pretrain " + std::to_string(pretrain));
      Settings settings = settings_of(batch);
      settings.pretrain = pretrain;
      settings.steps = 20;
      // A penalty is the difference of risks that agree to more digits than fp32 has for it.
      expect_same_steps(settings, batch == 0 ? 1e-5 : 1e-4);
    }
  }
}

// Averages over steps are the kernels' work.
TEST_F(OnDevice, TakesTheStepsOfTheCpuWithTrackedMoments) {
  for (const std::int64_t pretrain : {0, 10}) {
    SCOPED_TRACE(pretrain);
    Settings settings = settings_of(32);
    settings.pretrain = pretrain;
    settings.track = 5.0;
    settings.hold_at_noise = true;
    settings.solver = "chebyshev_smooth";
    settings.steps = 20;
    expect_same_steps(settings, 1e-4);
    const Evaluation here = trained(settings, torch::kCPU, settings.steps).back();
    const Evaluation there = trained(settings, torch::kCUDA, settings.steps).back();
    for (const std::size_t k : {1U, 2U}) {
      EXPECT_NEAR(there.noise_floors.at(k), here.noise_floors.at(k), 1e-3 * here.noise_floors.at(k));
    }
  }
}

TEST_F(OnDevice, TakesTheStepsOfTheCpuWithSamplesThatMeasure) {
  for (const std::int64_t batch : {0, 32}) {
    SCOPED_TRACE(batch);
    Settings settings = settings_of(batch);
    settings.pretrain = 6;
    settings.measure_share = 0.25;
    settings.measure_rotate = 4;
    settings.steps = 20;
    expect_same_steps(settings, 1e-4);
  }
}

TEST_F(OnDevice, TakesTheStepsOfTheCpuWithoutAFeaturizer) {
  Settings settings = settings_of();
  settings.model = "linear";
  settings.pretrain = 10;
  settings.steps = 20;
  expect_same_steps(settings, 1e-5);
}

// DomainBed's IRM: derivatives of halves, a product of which may be negative, under a fixed weight.
TEST_F(OnDevice, TakesTheStepsOfTheCpuWithDerivativesOfHalves) {
  Settings settings = settings_of(32);
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm", "irmv1"};
  settings.objective_options["irmv1"] =
      objectives::options_of("irmv1", {{"irmv1_unbiased", "true"}, {"irmv1_negative", "keep"}});
  settings.pretrain = 5;
  settings.penalty = 10.0;
  settings.steps = 20;
  expect_same_steps(settings, 1e-3);
}

// The kernels at the head, and a perceptron's hand-written backward pass, compared with autograd on the CPU.
TEST_F(OnDevice, GradientsAtTheHeadAreTheCpus) {
  for (const std::string how : {"", "frozen", "unbiased", "unequal"}) {
    for (const std::int64_t outputs : {1, 2, 3}) {  // for three there is no kernel
      SCOPED_TRACE(std::to_string(outputs) + " outputs, " + how);
      const auto options = [&how](const std::string& name) {
        return name == "irmv1" && how == "unbiased"
                   ? objectives::options_of(name, {{"irmv1_unbiased", "true"}})
                   : objectives::options_of(name);
      };
      const auto set = testing::small_data();
      const auto loss = outputs == 1 ? data::TaskLoss::binary_cross_entropy : data::TaskLoss::cross_entropy;
      const std::vector<double> weights = {0.3, 2.0, 0.7};
      const auto found = [&](torch::Device device, torch::ScalarType type) {
        data::Random initial(3, "model");
        const auto model =
            models::make_model("mlp", models::options_of("mlp", {{"width", "8"}, {"depth", "3"}}),
                               {.size = 4, .outputs = outputs}, initial);
        model->to(device, type);
        std::vector<std::unique_ptr<objectives::Objective>> objectives;
        for (const std::string name : {"erm", "irmv1", "vrex"}) {
          objectives.push_back(objectives::make_objective(name, options(name)));
        }
        Step step(model, objectives, loss);
        if (how == "frozen") {
          step.freeze_featurizer();
        }
        const Batch batch{
            torch::cat({set->train[0].inputs, set->train[1].inputs}).to(device, type),
            torch::cat({set->train[0].labels, set->train[1].labels})
                .to(device, outputs == 1 ? type : torch::kLong),
            how == "unequal" ? std::vector<std::int64_t>{150, 250} : std::vector<std::int64_t>{200, 200}};
        data::Random draws(0, "draws");
        const Step::Result fixed = step.with_weights(batch, weights, draws);
        const torch::Tensor readings = step.compare(batch, GradientSource::head, draws);
        const torch::Tensor gradient = step.gradient(torch::tensor(weights, torch::kDouble).to(device));
        EXPECT_LT((gradient - fixed.gradient).abs().max().item<double>(),
                  1e-6 * gradient.abs().max().item<double>());
        EXPECT_TRUE(torch::allclose(fixed.losses, readings.narrow(0, 0, 3), 1e-9));
        return torch::cat({readings.cpu(), gradient.cpu().to(torch::kDouble)});
      };
      const torch::Tensor here = found(torch::kCPU, torch::kDouble);
      const torch::Tensor there = found(torch::kCUDA, torch::kFloat);
      ASSERT_EQ(here.sizes(), there.sizes());
      for (std::int64_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(there[k].item<double>(), here[k].item<double>(), 1e-4 * std::abs(here[k].item<double>()))
            << "loss " << k;
        for (std::int64_t l = 0; l < 3; ++l) {
          const auto gram = [&](const torch::Tensor& of, std::int64_t a, std::int64_t b) {
            return of[3 + 3 * a + b].item<double>();
          };
          EXPECT_NEAR(gram(there, k, l), gram(here, k, l),
                      1e-4 * std::sqrt(gram(here, k, k) * gram(here, l, l)))
              << k << ", " << l;
        }
      }
      const torch::Tensor gradient = here.slice(0, 12, here.numel());
      EXPECT_LT((there.slice(0, 12, here.numel()) - gradient).abs().max().item<double>(),
                1e-4 * gradient.abs().max().item<double>());
    }
  }
}

// The cases of the test above.
TEST_F(OnDevice, KernelsTakeTheHeadsOfOurNetworks) {
  const auto taken = [](Settings settings, std::int64_t outputs) {
    settle(settings);
    data::Random initial(3, "model");
    const auto model = models::make_model(settings.model, settings.model_options,
                                          {.size = 200, .shape = {2, 10, 10}, .outputs = outputs}, initial);
    model->to(torch::kCUDA);
    std::vector<device::MomentFunction> functions;
    for (const std::string& name : settings.objectives) {
      functions.push_back(
          objectives::make_objective(name, settings.objective_options.at(name))->moment_function().value());
    }
    return device::takes_head(model->head->weight, 2, 32, functions);
  };
  EXPECT_TRUE(taken(Settings{}, 1));
  EXPECT_TRUE(taken(picture_settings(), 2));
  Settings unbiased;
  unbiased.objective_options["irmv1"] = objectives::options_of("irmv1", {{"irmv1_unbiased", "true"}});
  EXPECT_TRUE(taken(unbiased, 1));
}

// Runs that begin, record, bring their data and end at any moment of each other's.
TEST_F(OnDevice, GivesTheSameAloneAndInCompanyHoweverOftenOneLooks) {
  const Settings half = in_half(picture_settings());
  for (const Settings& settings : {settings_of(), settings_of(32), picture_settings(), half}) {
    SCOPED_TRACE(settings.model + ", batch " + std::to_string(settings.batch));
    const auto alone = trained(settings, torch::kCUDA);
    expect_same(trained(settings, torch::kCUDA, settings.steps).back(), alone.back());
    std::vector<std::vector<Evaluation>> together(48);
    {
      std::vector<std::jthread> threads;
      for (std::size_t thread = 0; thread < 12; ++thread) {
        threads.emplace_back([&, thread] {
          for (std::size_t run = thread; run < together.size(); run += 12) {
            together[run] = trained(settings, torch::kCUDA);
          }
        });
      }
    }
    for (const auto& evaluations : together) {
      for (std::size_t i = 0; i < alone.size(); ++i) {
        expect_same(evaluations[i], alone[i]);
      }
    }
  }
}

TEST_F(OnDevice, ContinuesFromACheckpoint) {
  Settings vectors = settings_of(16);
  vectors.objectives = {"erm", "irmv1", "vrex", "fishr", "group_dro"};
  vectors.preference = {};
  const Settings half = in_half(picture_settings());
  for (const Settings& settings : {vectors, picture_settings(), half}) {
    const auto whole = trained(settings, torch::kCUDA, settings.steps);
    for (const std::int64_t stop : {0, 1, 7, 8, 9, 13, 20, 21, 23}) {
      SCOPED_TRACE(settings.model + ", stopped after " + std::to_string(stop));
      std::stringstream saved;
      {
        Trainer part(data_of(settings), settings, 1, torch::kCUDA);
        while (part.step() < stop) {
          part.advance();
        }
        part.save(saved);
      }
      Trainer resumed(data_of(settings), settings, 1, torch::kCUDA);
      resumed.load(saved);
      while (!resumed.finished()) {
        resumed.advance();
      }
      expect_same(resumed.evaluate(), whole.back());
    }
  }
}

TEST_F(OnDevice, TrainsDomainBedsNetworkAsTheCpuDoes) {
  const auto here = trained(picture_settings(), torch::kCPU);
  const auto there = trained(picture_settings(), torch::kCUDA);
  for (std::size_t i = 0; i < here.size(); ++i) {
    for (std::size_t k = 0; k < here[i].losses.size(); ++k) {
      EXPECT_NEAR(there[i].losses[k], here[i].losses[k], 1e-3 * std::abs(here[i].losses[k]) + 1e-6)
          << "step " << i << ", objective " << k;
    }
  }
}

TEST_F(OnDevice, In16BitsTheFirstStepsAreThoseOf32) {
  Settings settings = picture_settings();
  settings.scheme = Scheme::linear;
  const auto full = trained(settings, torch::kCUDA);
  const auto half = trained(in_half(settings), torch::kCUDA);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(half[i].losses[0], full[i].losses[0], 0.02 * full[i].losses[0]) << "step " << i;
  }
  EXPECT_NE(half[4].losses[0], full[4].losses[0]) << "16 bits were not used";
}

// However small or large the loss is.
TEST_F(OnDevice, GradientsIn16BitsAreThoseOf32) {
  data::Random random(4, "model");
  const auto model = models::make_model("mnist_cnn", models::options_of("mnist_cnn"),
                                        {.size = 200, .shape = {2, 10, 10}, .outputs = 2}, random);
  model->to(torch::kCUDA);
  std::vector<std::unique_ptr<objectives::Objective>> objectives;
  objectives.push_back(objectives::make_objective("erm"));
  const data::EnvironmentSet set = data::on_device(*testing::small_picture_data(), torch::kCUDA);
  const Batch batch{torch::cat({set.train[0].inputs, set.train[1].inputs}),
                    torch::cat({set.train[0].labels, set.train[1].labels}),
                    {60, 60}};
  data::Random draws(0, "draws");
  Step full(model, objectives, set.loss);
  Step half(model, objectives, set.loss, {.half = true});
  for (const double weight : {1e-12, 1.0, 1e9}) {
    const torch::Tensor expected =
        full.with_weights(batch, std::vector<double>{weight}, draws).gradient.to(torch::kDouble);
    const torch::Tensor got =
        half.with_weights(batch, std::vector<double>{weight}, draws).gradient.to(torch::kDouble);
    EXPECT_LT((got - expected).norm().item<double>(), 0.01 * expected.norm().item<double>()) << weight;
  }
  for (const GradientSource source : {GradientSource::featurizer, GradientSource::all}) {
    const double expected = to_doubles(full.compare(batch, source, draws))[1];
    EXPECT_NEAR(to_doubles(half.compare(batch, source, draws))[1], expected, 0.02 * expected);
  }
}

TEST_F(OnDevice, SaysThat16BitsChangeNothingForAnObjectiveOfTheNetwork) {
  Settings settings = in_half(picture_settings());
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm", "iga"};
  Trainer trainer(data_of(settings), settings, 1, torch::kCUDA);
  EXPECT_THAT(trainer.take_notices(),
              ::testing::ElementsAre(::testing::HasSubstr("fp16 has no effect: an objective needs")));
}

TEST_F(OnDevice, RecordsEveryObjectiveThatItCan) {
  for (const char* name :
       {"irmv1", "vrex", "ib", "sd", "fishr", "group_dro", "iga", "coral", "mmd", "worst_risk"}) {
    for (const Scheme scheme : {Scheme::linear, Scheme::pair}) {
      SCOPED_TRACE(std::string(name) + ", " + std::string(to_string(scheme)));
      Settings settings = settings_of(32);
      settings.scheme = scheme;
      settings.objectives = {"erm", name};
      settings.preference = {};
      settings.steps = 12;
      settings.pretrain = 4;
      Trainer trainer(testing::small_data(0, 500), settings, 1, torch::kCUDA);
      while (!trainer.finished()) {
        trainer.advance();
      }
      // The device adds nothing to the notices about the method, such as an objective that the solver cannot see.
      EXPECT_EQ(trainer.take_notices(), Trainer(testing::small_data(0, 500), settings, 1).take_notices());
      const Evaluation there = trainer.evaluate();
      const Evaluation here = trained(settings, torch::kCPU).back();
      for (std::size_t k = 0; k < here.losses.size(); ++k) {
        EXPECT_NEAR(there.losses[k], here.losses[k], 1e-3 * std::abs(here.losses[k]) + 1e-6) << k;
      }
    }
  }
}

Settings adversarial_settings(const std::string& algorithm) {
  Settings settings = settings_of(16);
  settings.scheme = Scheme::own;
  settings.update = algorithms::algorithm_named(algorithm).update;
  for (const auto& [option, text] : {std::pair("mlp_width", "8"), std::pair("d_steps_per_g_step", "2"),
                                     std::pair("grad_penalty", "0.5"), std::pair("mlp_dropout", "0.2")}) {
    settings.update.options.set_text(*settings.update.options.find(option), text);
  }
  settings.objectives = {"erm"};
  settings.preference = {};
  settings.pretrain = 0;
  settings.steps = 20;
  return settings;
}

// Both kinds of updates are recorded: each step draws new masks, counts in Adam's moments and adds to the means.
TEST_F(OnDevice, TakesTheUpdatesOfAnAdversaryAsTheCpuDoes) {
  for (const char* algorithm : {"dann", "cdann"}) {
    for (const bool normalized : {false, true}) {
      SCOPED_TRACE(std::string(algorithm) + (normalized ? ", with BatchNorm" : ""));
      const Settings settings = adversarial_settings(algorithm);
      const auto model = [&] { return normalized ? testing::normalized_model() : nullptr; };
      const auto data = testing::small_data();
      auto here = normalized ? Trainer(data, model(), settings, 3) : Trainer(data, settings, 3);
      auto there = normalized ? Trainer(data, model(), settings, 3, torch::kCUDA)
                              : Trainer(data, settings, 3, torch::kCUDA);
      while (!here.finished()) {
        here.advance();
        there.advance();
        const bool look = here.step() % 4 == 0;
        const Evaluation a = look ? here.evaluate() : Evaluation();
        const Evaluation b = look ? there.evaluate() : Evaluation();
        ASSERT_EQ(a.named.size(), b.named.size());
        for (std::size_t k = 0; k < a.named.size(); ++k) {
          EXPECT_NEAR(a.named[k].second, b.named[k].second, 1e-6 + 0.01 * std::abs(a.named[k].second))
              << a.named[k].first << " at step " << a.step;
        }
      }
      EXPECT_TRUE(there.take_notices().empty());
    }
  }
}

// The adversary's strategy moves the parameters, so recorded scores of the steps of ERM must not be replayed.
TEST_F(OnDevice, ScoresAnAdversarysModelAfterStepsOfErmAsTheCpuDoes) {
  Settings settings = adversarial_settings("dann");
  settings.pretrain = 8;
  const auto here = trained(settings, torch::kCPU, 2);
  const auto there = trained(settings, torch::kCUDA, 2);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    ASSERT_EQ(here[i].scores.size(), there[i].scores.size());
    for (std::size_t k = 0; k < here[i].scores.size(); ++k) {
      EXPECT_NEAR(there[i].scores[k].value, here[i].scores[k].value, 0.02) << "step " << here[i].step;
    }
  }
  EXPECT_NE(here.back().scores.front().value, here[3].scores.front().value)
      << "scores that do not move show nothing";
}

TEST_F(OnDevice, TakesTheUpdatesOfAnAdversaryIn16Bits) {
  Settings settings = adversarial_settings("dann");
  settings.model = "mnist_cnn";
  settings.model_options = {};
  settings.steps = 6;
  const Evaluation whole = trained(settings, torch::kCUDA).back();
  const Evaluation half = trained(in_half(settings), torch::kCUDA).back();
  ASSERT_EQ(whole.named.size(), half.named.size());
  for (std::size_t k = 0; k < whole.named.size(); ++k) {
    EXPECT_NEAR(half.named[k].second, whole.named[k].second, 0.02) << whole.named[k].first;
    EXPECT_NE(half.named[k].second, whole.named[k].second) << "not in 16 bits";
  }
}

TEST_F(OnDevice, SaysOnceWhatCannotBeRecordedAndContinues) {
  Settings settings = settings_of();
  settings.objectives = {"erm", "clove"};
  settings.preference = {};
  Trainer trainer(testing::small_data(0, 500), settings, 1, torch::kCUDA);
  while (!trainer.finished()) {
    trainer.advance();
  }
  EXPECT_THAT(trainer.take_notices(), ::testing::ElementsAre(::testing::HasSubstr("clove")));
  EXPECT_THAT(trainer.take_notices(), ::testing::IsEmpty());
}

TEST_F(OnDevice, DrawsTheMinibatchesOfTheCpu) {
  Minibatches here(5, {1000, 77}, 32, torch::kCPU);
  Minibatches there(5, {1000, 77}, 32, torch::kCUDA);
  for (const std::int64_t step : {0, 63, 64, 5000}) {
    EXPECT_TRUE(torch::equal(here.rows(step), there.rows(step).cpu()));
  }
}

TEST_F(OnDevice, DrawsTheEnvironmentsOfTheCpu) {
  Minibatches here(7, {1000, 60000, 3, 500, 77}, 16, torch::kCPU, 2);
  Minibatches there(7, {1000, 60000, 3, 500, 77}, 16, torch::kCUDA, 2);
  for (const std::int64_t step : {0, 1, 63, 64, 1000}) {
    EXPECT_TRUE(there.environments_of(step).cpu().equal(here.environments_of(step))) << step;
    EXPECT_TRUE(there.rows(step).cpu().equal(here.rows(step))) << step;
  }
}

// BatchNorm changes its buffers and Dropout draws new masks each time a recorded step is replayed.
TEST_F(OnDevice, TrainsANetworkWithBatchNormAndDropoutAsTheCpuDoes) {
  for (const Scheme scheme : {Scheme::linear, Scheme::pair}) {
    SCOPED_TRACE(to_string(scheme));
    Settings settings = settings_of(16);
    settings.scheme = scheme;
    settings.steps = 16;
    settings.pretrain = 6;
    auto model_here = testing::normalized_model();
    auto model_there = testing::normalized_model();
    Trainer here(testing::small_data(), model_here, settings, 3);
    Trainer there(testing::small_data(), model_there, settings, 3, torch::kCUDA);
    while (!here.finished()) {
      here.advance();
      there.advance();
    }
    const Evaluation a = here.evaluate();
    const Evaluation b = there.evaluate();
    EXPECT_TRUE(there.take_notices().empty());
    for (std::size_t k = 0; k < a.losses.size(); ++k) {
      EXPECT_NEAR(a.losses[k], b.losses[k], 1e-6 + 0.02 * a.losses[k]) << k;
    }
    const std::vector<torch::Tensor> buffers = model_here->buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_TRUE(torch::allclose(model_there->buffers()[i].cpu().to(torch::kDouble),
                                  buffers[i].to(torch::kDouble), 1e-2, 1e-3))
          << i;
    }
    EXPECT_EQ(model_there->norm->num_batches_tracked.item<std::int64_t>(), settings.steps);
  }
}

TEST_F(OnDevice, ReturnsRunningStatisticsWithARefusedStep) {
  Settings settings = settings_of(16);
  settings.scheme = Scheme::linear;
  auto model = testing::normalized_model();
  Trainer trainer(testing::small_data(), model, settings, 3, torch::kCUDA);
  for (int i = 0; i < 5; ++i) {
    trainer.advance();
  }
  (void)trainer.evaluate();
  const torch::Tensor before = model->norm->running_var.clone();
  {
    const torch::NoGradGuard no_graph;
    model->parameters().front().fill_(std::nan(""));
    torch::cuda::synchronize();
  }
  trainer.advance();
  EXPECT_EQ(trainer.evaluate().rollbacks, 1);
  EXPECT_TRUE(model->norm->running_var.equal(before));
  EXPECT_EQ(model->norm->num_batches_tracked.item<std::int64_t>(), 5);
}

TEST_F(OnDevice, UpdatesAsTheCpuDoesGoodAndBad) {
  const torch::NoGradGuard no_graph;
  for (const bool adam : {true, false}) {
    SCOPED_TRACE(adam);
    const UpdateOptions options = adam ? UpdateOptions{} : UpdateOptions{UpdateOptions::Rule::sgd, 0.9, true};
    torch::Tensor a = torch::linspace(-1.0, 2.0, 100'003);
    torch::Tensor b = a.to(torch::kCUDA);
    Update here({a}, options);
    Update there({b}, options);
    torch::Tensor losses = torch::ones({2}, torch::kDouble);
    const torch::Tensor rate = torch::tensor(0.1, torch::kDouble);
    const auto take_back = [](Update& update) {
      GuardState guard;
      Update::read_tally(to_doubles(update.tally()), guard);
      update.take_back(guard);
    };
    for (int i = 0; i < 40; ++i) {
      const double second = i % 7 == 3 ? std::numeric_limits<double>::quiet_NaN() : std::sin(i);
      torch::Tensor gradient = torch::cos(torch::arange(100'003).to(torch::kFloat) * 0.01 + i);
      gradient[77] = second;
      losses[1] = i % 11 == 5 ? std::numeric_limits<double>::infinity() : 1.0;
      here.apply(gradient, losses, rate);
      there.apply(gradient.to(torch::kCUDA), losses.to(torch::kCUDA), rate.to(torch::kCUDA));
      if (i == 20) {
        take_back(here);
        take_back(there);
      }
      ASSERT_TRUE(torch::allclose(there.parameters().cpu(), here.parameters(), 1e-4, 1e-6)) << i;
      ASSERT_EQ(to_doubles(there.tally()), to_doubles(here.tally())) << i;
    }
  }
}

TEST_F(OnDevice, StopsARunWhoseLossesStayInfinite) {
  for (const Scheme scheme : {Scheme::linear, Scheme::pair}) {
    SCOPED_TRACE(std::string(to_string(scheme)));
    Settings settings = settings_of();
    settings.steps = 500;
    settings.pretrain = 0;
    settings.scheme = scheme;
    auto set = testing::small_data(0, 500);
    set->train[0].inputs[3][0] = std::numeric_limits<float>::quiet_NaN();
    Trainer trainer(set, settings, 1, torch::kCUDA);
    EXPECT_THROW(
        {
          while (!trainer.finished()) {
            trainer.advance();
          }
        },
        Diverged);
  }
}

}  // namespace
}  // namespace pair::train::device_test
