
#include <gmock/gmock.h>
#include <torch/optim.h>
#include <torch/utils.h>

#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "pair/algorithms/beta.h"
#include "pair/algorithms/registry.h"
#include "pair/models/registry.h"
#include "pair/train/guard.h"
#include "pair/train/trainer.h"
#include "tests/train/normalized_model.h"
#include "tests/train/small_data.h"

namespace pair::train::updates_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// An option of the update, as text.
void set(Settings& settings, const char* option, const char* text) {
  if (const base::Field* const field = settings.update.options.find(option)) {
    settings.update.options.set_text(*field, text);
  }
}

Settings small(const std::string& algorithm) {
  Settings settings;
  settings.scheme = Scheme::own;
  settings.update = algorithms::algorithm_named(algorithm).update;
  settings.objectives = {"erm"};
  settings.preference = {};
  settings.steps = 30;
  settings.pretrain = 0;
  settings.batch = 16;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  set(settings, "mlp_width", "6");
  settings.lr = 0.01;
  set(settings, "lr_d", "0.01");
  return settings;
}

std::map<std::string, double> named(Trainer& trainer) {
  const auto list = trainer.evaluate().named;
  return {list.begin(), list.end()};
}

// The parameters' effect: the logits of some inputs.
torch::Tensor logits(Trainer& trainer) {
  return trainer.predict(testing::small_data()->held_out.front().inputs);
}

// Trained for `stop` steps, saved, and finished by another trainer.
Trainer finished_after_a_stop(const Settings& settings, int stop) {
  std::stringstream saved;
  {
    Trainer part(testing::small_data(), settings, 5);
    for (int i = 0; i < stop; ++i) {
      part.advance();
    }
    part.save(saved);
  }
  Trainer resumed(testing::small_data(), settings, 5);
  resumed.load(saved);
  while (!resumed.finished()) {
    resumed.advance();
  }
  return resumed;
}

TEST(OwnUpdate, ContinuesBitForBitFromWhatItSavedAtAnyStep) {
  for (const std::string algorithm : {"dann", "cdann", "mixup", "fish", "lisa"}) {
    SCOPED_TRACE(algorithm);
    Settings settings = small(algorithm);
    set(settings, "d_steps_per_g_step", "2");
    set(settings, "grad_penalty", "0.5");
    set(settings, "mlp_dropout", "0.3");
    set(settings, "weight_decay_d", "1e-3");
    Trainer whole(testing::small_data(), settings, 5);
    while (!whole.finished()) {
      whole.advance();
    }
    const auto expected = named(whole);
    for (const int stop : {0, 1, 2, 13}) {
      SCOPED_TRACE(stop);
      Trainer resumed = finished_after_a_stop(settings, stop);
      EXPECT_EQ(named(resumed), expected);
      EXPECT_TRUE(torch::equal(logits(resumed), logits(whole)));
    }
  }
}

// With SGD, the first step is proportional to the learning rate.
TEST(OwnUpdate, TakesStepsOfTheOptimizerAndTheScheduleOfTheSettings) {
  for (const std::string algorithm : {"dann", "cdann", "mixup", "fish", "lisa"}) {
    SCOPED_TRACE(algorithm);
    const auto moved = [&](int steps, const std::function<void(Settings&)>& change) {
      Settings settings = small(algorithm);
      settings.l2 = 0.0;
      settings.model = "linear";
      settings.model_options = {};
      set(settings, "d_steps_per_g_step", "0");  // the model moves in every step
      change(settings);
      Trainer trainer(testing::small_data(), settings, 5);
      const torch::Tensor before = logits(trainer).clone();
      for (int i = 0; i < steps; ++i) {
        trainer.advance();
      }
      return torch::Tensor(logits(trainer) - before);
    };
    const auto sgd = [](Settings& settings) { settings.optimizer = Optimizer::sgd; };
    const torch::Tensor plain = moved(1, sgd);
    const torch::Tensor warm = moved(1, [&](Settings& settings) {
      sgd(settings);
      settings.warmup = 4;
    });
    if (algorithm != "fish") {  // its second inner step starts elsewhere
      EXPECT_TRUE(torch::allclose(4.0 * warm, plain, 1e-3, 1e-6));
    }
    EXPECT_LT(warm.abs().max().item<double>(), 0.3 * plain.abs().max().item<double>());
    EXPECT_FALSE(moved(1, [](Settings&) {}).equal(plain)) << "Adam";
    const torch::Tensor three = moved(3, sgd);
    for (const std::function<void(Settings&)>& change : std::vector<std::function<void(Settings&)>>{
             [](Settings& settings) { settings.descent_momentum = 0.9; },
             [](Settings& settings) { settings.l2 = 0.1; },
             [](Settings& settings) {
               settings.schedule = Decay::step;
               settings.schedule_every = 1;
               settings.schedule_factor = 0.5;
             },
             [](Settings& settings) { settings.schedule = Decay::cosine; }}) {
      EXPECT_FALSE(moved(3, [&](Settings& settings) {
                     sgd(settings);
                     change(settings);
                   }).equal(three));
    }
    const auto adam = [](Settings& settings) { settings.lr = 0.1; };
    EXPECT_FALSE(moved(20, [&](Settings& settings) {
                   adam(settings);
                   settings.amsgrad = true;
                 }).equal(moved(20, adam)));
  }
}

TEST(OwnUpdate, TakesPretrainStepsOfErmFirstAndContinuesFromAnyOfThem) {
  for (const std::string algorithm : {"dann", "mixup", "fish", "lisa"}) {
    SCOPED_TRACE(algorithm);
    Settings settings = small(algorithm);
    settings.pretrain = 3;
    settings.steps = 7;
    Settings erm = settings;
    erm.scheme = Scheme::linear;
    erm.pretrain = 0;
    Trainer whole(testing::small_data(), settings, 5);
    Trainer plain(testing::small_data(), erm, 5);
    for (int i = 0; i < 3; ++i) {
      whole.advance();
      plain.advance();
    }
    EXPECT_TRUE(logits(whole).equal(logits(plain)));
    EXPECT_TRUE(whole.evaluate().named.empty()) << "the losses of ERM, as in its own records";
    EXPECT_EQ(whole.evaluate().losses.size(), 1U);
    while (!whole.finished()) {
      whole.advance();
      plain.advance();
    }
    EXPECT_FALSE(logits(whole).equal(logits(plain)));
    EXPECT_FALSE(whole.evaluate().named.empty());
    for (const int stop : {0, 2, 3, 4}) {
      SCOPED_TRACE(stop);
      Trainer resumed = finished_after_a_stop(settings, stop);
      EXPECT_TRUE(logits(resumed).equal(logits(whole)));
    }
  }
}

TEST(OwnUpdate, NamesLossesAsDomainBedDoes) {
  Trainer dann(testing::small_data(), small("dann"), 0);
  dann.advance();
  EXPECT_THAT(named(dann), UnorderedElementsAre(Pair("gen_loss", ::testing::Lt(1.0)),
                                                Pair("disc_loss", ::testing::Gt(0.0))));
  Trainer mixup(testing::small_data(), small("mixup"), 0);
  mixup.advance();
  EXPECT_THAT(named(mixup), UnorderedElementsAre(Pair("loss", ::testing::Gt(0.0))));
}

TEST(Dann, TakesTheAdversarysStepsAndThenOneOfItsOwn) {
  // DomainBed counts updates from 1: with d steps the model moves where count mod (1 + d) = d.
  for (const std::int64_t d : {0, 1, 3}) {
    Settings settings = small("dann");
    set(settings, "d_steps_per_g_step", std::to_string(d).c_str());
    Trainer trainer(testing::small_data(), settings, 1);
    for (std::int64_t count = 1; count <= 9; ++count) {
      const torch::Tensor before = logits(trainer).clone();
      trainer.advance();
      EXPECT_EQ(!torch::equal(logits(trainer), before), count % (1 + d) == d) << d << " " << count;
    }
  }
}

TEST(Dann, WithoutItsPenaltyIsErmUnderItsAdam) {
  Settings settings = small("dann");
  settings.penalty = 0.0;
  set(settings, "d_steps_per_g_step", "0");
  settings.batch = 0;
  settings.steps = 5;
  const auto data = testing::small_data();
  Trainer trainer(data, settings, 3);
  data::Random random(3, "model");
  const auto model =
      models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}), {.size = 4}, random);
  torch::optim::Adam adam(model->parameters(),
                          torch::optim::AdamOptions(0.01).betas({0.5, 0.9}).weight_decay(2 * settings.l2));
  const torch::Tensor inputs = torch::cat({data->train[0].inputs, data->train[1].inputs});
  const torch::Tensor labels = torch::cat({data->train[0].labels, data->train[1].labels});
  for (int i = 0; i < 5; ++i) {
    trainer.advance();
    const torch::Tensor loss =
        torch::binary_cross_entropy_with_logits(model->forward(inputs).select(1, 0), labels);
    EXPECT_NEAR(named(trainer).at("gen_loss"), loss.item<double>(), 1e-5);
    adam.zero_grad();
    loss.backward();
    adam.step();
  }
  const torch::NoGradGuard no_graph;
  EXPECT_TRUE(torch::allclose(logits(trainer), model->forward(data->held_out.front().inputs), 1e-4, 1e-4));
}

TEST(Dann, TheAdversaryLearnsWhichEnvironmentASampleIsFrom) {
  auto data = testing::small_data();
  data->train[1].inputs.select(1, 2).add_(8.0);  // now plain to see
  for (const std::string algorithm : {"dann", "cdann"}) {
    Settings settings = small(algorithm);
    settings.penalty = 0.0;
    set(settings, "d_steps_per_g_step", "9");
    settings.steps = 400;
    set(settings, "mlp_width", "32");
    Trainer trainer(data, settings, 1);
    trainer.advance();
    EXPECT_GT(named(trainer).at("disc_loss"), 0.2);
    while (!trainer.finished()) {
      trainer.advance();
    }
    EXPECT_LT(named(trainer).at("disc_loss"), 0.05) << algorithm;
  }
}

TEST(Dann, TheGradientPenaltyRaisesTheAdversarysLoss) {
  Settings settings = small("dann");
  Trainer plain(testing::small_data(), settings, 1);
  set(settings, "grad_penalty", "10.0");
  Trainer penalised(testing::small_data(), settings, 1);
  plain.advance();
  penalised.advance();
  EXPECT_GT(named(penalised).at("disc_loss"), named(plain).at("disc_loss"));
}

// The guard of train/guard.h holds for both networks: a step with a loss that is not finite is not taken.
TEST(Dann, TakesNoStepWhoseLossIsNotFinite) {
  for (const std::string algorithm : {"dann", "cdann"}) {
    SCOPED_TRACE(algorithm);
    const Settings settings = small(algorithm);
    const auto model = testing::normalized_model();
    Trainer trainer(testing::small_data(), model, settings, 1);
    for (int i = 0; i < 4; ++i) {
      trainer.advance();
    }
    const auto spoil = [&] {
      const torch::NoGradGuard no_graph;
      model->parameters().front().fill_(std::nan(""));
    };
    spoil();
    trainer.advance();  // the model's turn: it returns to its last good parameters
    EXPECT_EQ(trainer.evaluate().rollbacks, 1);
    EXPECT_TRUE(model->parameters().front().isfinite().all().item<bool>());
    EXPECT_TRUE(model->norm->running_mean.isfinite().all().item<bool>());
    spoil();
    const auto before = named(trainer);
    (void)trainer.take_notices();
    trainer.advance();  // the adversary's turn
    EXPECT_EQ(named(trainer), before) << "the losses of the last step that was taken";
    EXPECT_THAT(trainer.take_notices(),
                ::testing::ElementsAre(HasSubstr("the adversary's loss or gradient")));
    EXPECT_TRUE(model->norm->running_mean.isfinite().all().item<bool>());
    trainer.advance();
    EXPECT_EQ(trainer.evaluate().rollbacks, 2);
    trainer.advance();
    EXPECT_LT(named(trainer).at("disc_loss"), 10.0);
    EXPECT_EQ(trainer.evaluate().rollbacks, 2);
  }
}

TEST(Dann, EndsIfStepAfterStepIsNotFinite) {
  const Settings settings = small("dann");
  auto data = testing::small_data();
  data->train[0].inputs.fill_(std::nan(""));
  Trainer trainer(data, settings, 1);
  EXPECT_THROW(
      {
        while (!trainer.finished()) {
          trainer.advance();
        }
      },
      Diverged);
  EXPECT_LT(trainer.step(), 2 * GuardState::patience + 1);
}

TEST(Cdann, RefusesLabelsThatAreNotClasses) {
  auto data = testing::small_data();
  data->loss = data::TaskLoss::squared_error;
  EXPECT_THAT(
      [&] { Trainer(data, small("cdann"), 0); },
      ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr("cdann: expected labels that are classes")));
}

TEST(OwnUpdate, TrainsOnOneEnvironmentAndSaysWhatThatMeans) {
  auto data = testing::small_data();
  data->train.pop_back();
  for (const std::string algorithm : {"mixup", "dann", "cdann"}) {
    Trainer trainer(data, small(algorithm), 0);
    trainer.advance();
    trainer.advance();
    EXPECT_THAT(
        trainer.take_notices(),
        ::testing::ElementsAre("warning: " + algorithm +
                               " compares environments; with one training environment it has no effect"));
  }
}

TEST(OwnUpdate, TakesNoObjectivesBesideErm) {
  Settings settings = small("mixup");
  settings.objectives = {"erm", "vrex"};
  EXPECT_THAT([&] { validate(settings); },
              ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr("mixup has its own update")));
}

TEST(Mixup, LearnsAndMixesEnvironmentsAlone) {
  Settings settings = small("mixup");
  settings.steps = 200;
  Trainer trainer(testing::small_data(), settings, 1);
  while (!trainer.finished()) {
    trainer.advance();
  }
  EXPECT_GT(trainer.evaluate().scores.front().value, 0.8);
  EXPECT_LT(trainer.evaluate().scores.back().value, 0.5) << "mixing alone does not undo the spurious input";
}

TEST(Mixup, SharesFollowTheBetaDistribution) {
  for (const double alpha : {0.1, 0.2, 1.0, 10.0}) {
    data::Random random(1, "beta");
    constexpr int draws = 20'000;
    double mean = 0.0;
    double square = 0.0;
    for (int i = 0; i < draws; ++i) {
      const double share = algorithms::draw_beta(alpha, random);
      ASSERT_GE(share, 0.0);
      ASSERT_LE(share, 1.0);
      mean += share / draws;
      square += share * share / draws;
    }
    EXPECT_NEAR(mean, 0.5, 0.02) << alpha;
    EXPECT_NEAR(square - mean * mean, 0.25 / (2 * alpha + 1), 0.01) << alpha;
  }
}

TEST(OwnUpdate, TellsMeansWithMinibatches) {
  Settings settings = small("mixup");
  settings.batch = 16;
  Trainer each(testing::small_data(), settings, 0);
  Trainer seldom(testing::small_data(), settings, 0);
  double sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    each.advance();
    seldom.advance();
    sum += each.evaluate().named.at(0).second;
  }
  EXPECT_NEAR(seldom.evaluate().named.at(0).second, sum / 4.0, 1e-12);
}

// DomainBed appends to disc_loss in the adversary's steps alone, and to gen_loss in the model's.
TEST(Dann, TellsMeansOverTheStepsThatComputedEachLoss) {
  Settings settings = small("dann");
  settings.batch = 16;
  set(settings, "d_steps_per_g_step", "2");
  Trainer each(testing::small_data(), settings, 0);
  Trainer seldom(testing::small_data(), settings, 0);
  std::map<std::string, double> sums;
  std::map<std::string, int> counts;
  double last = 0.0;
  constexpr int steps = 9;
  for (int count = 1; count <= steps; ++count) {
    each.advance();
    seldom.advance();
    const char* const computed = count % 3 == 2 ? "gen_loss" : "disc_loss";
    const double loss = named(each).at(computed);
    sums[computed] += loss;
    ++counts[computed];
    last = count % 3 == 2 ? loss : last;
  }
  EXPECT_EQ(counts.at("gen_loss"), 3);
  const auto means = named(seldom);
  EXPECT_NEAR(means.at("gen_loss"), sums.at("gen_loss") / counts.at("gen_loss"), 1e-12);
  EXPECT_NEAR(means.at("disc_loss"), sums.at("disc_loss") / counts.at("disc_loss"), 1e-12);
  // One more step is the adversary's: gen_loss keeps its last value.
  seldom.advance();
  EXPECT_EQ(named(seldom).at("gen_loss"), last);
}

}  // namespace
}  // namespace pair::train::updates_test
