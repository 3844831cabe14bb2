#include "pair/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim.h>
#include <torch/utils.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <sstream>

#include "pair/algorithms/registry.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/step_solver.h"
#include "tests/train/small_data.h"

namespace pair::train::trainer_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Settings small_settings() {
  Settings settings;
  settings.steps = 40;
  settings.pretrain = 15;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  settings.balance_lr = 0.05;
  return settings;
}

Evaluation trained(const Settings& settings, std::uint64_t seed = 1) {
  Trainer trainer(testing::small_data(), settings, seed);
  while (!trainer.finished()) {
    trainer.advance();
  }
  return trainer.evaluate();
}

void expect_same(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.losses, b.losses);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.divergence, b.divergence);
  EXPECT_EQ(a.lr, b.lr);
  EXPECT_EQ(a.restarts, b.restarts);
  EXPECT_EQ(a.backtracks, b.backtracks);
  ASSERT_EQ(a.scores.size(), b.scores.size());
  for (std::size_t i = 0; i < a.scores.size(); ++i) {
    EXPECT_EQ(a.scores[i].key, b.scores[i].key);
    EXPECT_EQ(a.scores[i].value, b.scores[i].value);
  }
}

TEST(Trainer, GivesTheSameNumbersForTheSameSeedAndOthersForAnother) {
  const Evaluation first = trained(small_settings());
  expect_same(first, trained(small_settings()));
  EXPECT_NE(first.losses, trained(small_settings(), 2).losses);
}

TEST(Trainer, ContinuesBitForBitFromWhatItSavedAtAnyStep) {
  std::vector<Settings> variants(6, small_settings());
  variants[1].batch = 16;
  variants[2].scheme = Scheme::linear;
  variants[2].penalty = 100;
  variants[2].refresh = true;
  variants[3].objectives = {"erm", "irmv1", "vrex", "fishr", "group_dro"};
  variants[3].preference = {};
  variants[3].solver = "epo_smooth";
  variants[4].freeze_featurizer = true;
  variants[4].decay = Decay::cosine;
  variants[5].objectives = {"erm", "irmv1", "dann"};
  variants[5].preference = {};
  for (const Settings& settings : variants) {
    Trainer whole(testing::small_data(), settings, 5);
    while (!whole.finished()) {
      whole.advance();
    }
    for (const int stop : {0, 7, 15, 16, 33}) {
      SCOPED_TRACE(stop);
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
      EXPECT_EQ(resumed.step(), stop);
      while (!resumed.finished()) {
        resumed.advance();
      }
      expect_same(resumed.evaluate(), whole.evaluate());
    }
  }
}

TEST(Trainer, RefusesACheckpointItCannotUse) {
  Trainer trainer(testing::small_data(), small_settings(), 0);
  std::stringstream garbage("not a checkpoint");
  EXPECT_THROW(trainer.load(garbage), std::runtime_error);

  Settings wider = small_settings();
  wider.model_options = models::options_of("mlp", {{"width", "9"}});
  std::stringstream saved;
  Trainer(testing::small_data(), wider, 0).save(saved);
  EXPECT_THROW(trainer.load(saved), std::runtime_error);
}

// A linear scheme written out with autograd and torch's Adam.
struct ByHand {
  const char* objective;  // vrex or sd
  const char* sums;       // as the setting
  bool release;           // the sum of the risks and, for sd, of the penalties, as in the release's train.py
  double divisor;         // after annealing
  std::int64_t pretrain;
};

torch::Tensor logits_by_hand(const ByHand& scheme, const Settings& settings) {
  const auto set = testing::small_data();
  data::Random random(1, "model");
  auto model = models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}), {.size = 4}, random);
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(settings.lr));
  for (int step = 0; step < settings.steps; ++step) {
    std::vector<torch::Tensor> risks;
    std::vector<torch::Tensor> squares;
    for (const auto& environment : set->train) {
      const torch::Tensor logits = model->forward(environment.inputs).squeeze(1);
      risks.push_back(torch::binary_cross_entropy_with_logits(logits, environment.labels));
      squares.push_back(logits.square().mean());
    }
    torch::Tensor loss = scheme.release ? torch::stack(risks).sum() : torch::stack(risks).mean();
    for (const auto& parameter : model->parameters()) {
      loss = loss + settings.l2 * parameter.square().sum();
    }
    torch::Tensor penalty = torch::stack(risks).var(/*unbiased=*/true);
    if (std::string(scheme.objective) == "sd") {
      penalty = scheme.release ? torch::stack(squares).sum() : torch::stack(squares).mean();
    }
    const double lambda = step < scheme.pretrain ? 1.0 : settings.penalty;
    loss = (loss + lambda * penalty) / std::max(lambda, 1.0);
    if (scheme.pretrain > 0 && step >= scheme.pretrain) {
      loss = loss / scheme.divisor;
    }
    adam.zero_grad();
    loss.backward();
    adam.step();
  }
  const torch::NoGradGuard no_graph;
  return model->forward(set->held_out.front().inputs);
}

TEST(Trainer, AnnealsTheLinearSchemeAsTheReleaseDoes) {
  std::vector<torch::Tensor> all;
  for (const ByHand& scheme : {ByHand{"vrex", "none", false, 1, 5}, ByHand{"vrex", "erm", true, 1, 5},
                               ByHand{"sd", "none", false, 1, 5}, ByHand{"sd", "erm,sd", true, 500, 5},
                               ByHand{"sd", "erm,sd", true, 500, 0}}) {
    SCOPED_TRACE(std::string(scheme.objective) + " " + scheme.sums + " " + std::to_string(scheme.pretrain));
    Settings settings = small_settings();
    settings.scheme = Scheme::linear;
    settings.objectives = {"erm", scheme.objective};
    settings.preference = {};
    settings.penalty = 50;
    settings.l2 = 0.05;
    settings.lr = 0.01;
    settings.pretrain = scheme.pretrain;
    settings.steps = 25;
    settings.sums = scheme.sums;
    settings.annealed_divisor = scheme.divisor;
    Trainer trainer(testing::small_data(), settings, 1);
    while (!trainer.finished()) {
      trainer.advance();
    }
    const torch::Tensor expected = logits_by_hand(scheme, settings);
    const torch::Tensor logits = trainer.predict(testing::small_data()->held_out.front().inputs);
    EXPECT_TRUE(torch::allclose(logits, expected, 1e-3, 1e-4)) << (logits - expected).abs().max();
    // Each choice matters: none of the other schemes gives these logits.
    for (const torch::Tensor& other : all) {
      EXPECT_FALSE(torch::allclose(logits, other, 1e-3, 1e-4));
    }
    all.push_back(logits);
  }
}

TEST(Trainer, SaysThatTheSolverDoesNotSeeAnObjectiveOfTheFeaturesAtTheHead) {
  Settings settings = small_settings();
  settings.objectives = {"erm", "irmv1", "ib"};
  settings.preference = {1, 1, 1};
  const auto notices = [&] { return Trainer(testing::small_data(), settings, 1).take_notices(); };
  EXPECT_THAT(notices(), ElementsAre(HasSubstr("ib is a function of the features and has no gradient at the "
                                               "head, so the solver does not lower it; with '--set "
                                               "gradients=f' it does")));
  settings.gradients = GradientSource::all;
  EXPECT_THAT(notices(), IsEmpty());
  settings.gradients = GradientSource::head;
  settings.scheme = Scheme::linear;
  EXPECT_THAT(notices(), IsEmpty());
}

// PAIR-o over DANN's losses (the paper's Appendix D.4): with its objective under the solver, an adversary
// tells the environments apart less well than by the features of ERM.
TEST(Trainer, PutsDannsLossUnderTheSolver) {
  const auto data = testing::small_data();
  data->train[1].inputs.select(1, 2).add_(4.0);
  Settings settings = small_settings();
  settings.objectives = {"erm", "irmv1", "dann"};
  settings.preference = {1, 1, 100};
  settings.gradients = GradientSource::all;  // at the head, the loss of an adversary on the features has none
  settings.steps = 300;
  settings.pretrain = 50;
  settings.objective_options["dann"] =
      objectives::options_of("dann", {{"dann_lr", "0.01"}, {"dann_steps", "3"}});
  const auto adversarys_gain = [&] {
    Trainer trainer(data, settings, 1);
    while (!trainer.finished()) {
      trainer.advance();
    }
    const Evaluation last = trainer.evaluate();
    EXPECT_EQ(last.losses.size(), 3U);
    return last.losses.at(2);
  };
  const double under_the_solver = adversarys_gain();
  settings.scheme = Scheme::linear;
  settings.penalties = {0, 0};  // ERM, which only records the others
  const double by_erm = adversarys_gain();
  EXPECT_GT(by_erm, 0.5);
  EXPECT_LT(under_the_solver, 0.5 * by_erm);
}

TEST(Trainer, StartsFromTheParametersOfAnotherAndNothingElse) {
  const auto set = testing::small_data();
  Settings settings = small_settings();
  Trainer other(set, settings, 5);
  while (!other.finished()) {
    other.advance();
  }
  std::stringstream saved;
  other.save(saved);
  settings.scheme = Scheme::linear;
  Trainer trainer(set, settings, 6);
  const torch::Tensor& inputs = set->train.front().inputs;
  EXPECT_FALSE(trainer.predict(inputs).equal(other.predict(inputs)));
  trainer.start_from(saved);
  EXPECT_TRUE(trainer.predict(inputs).equal(other.predict(inputs)));
  EXPECT_EQ(trainer.step(), 0);
  trainer.advance();
  EXPECT_FALSE(trainer.evaluate().balancing);
  EXPECT_FALSE(trainer.predict(inputs).equal(other.predict(inputs)));

  std::stringstream garbage("not a checkpoint");
  EXPECT_THROW(trainer.start_from(garbage), std::runtime_error);
}

TEST(Trainer, WeighsEachObjectiveByItsOwnPenaltyAndRecordsThoseOfZero) {
  Settings settings = small_settings();
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm", "irmv1", "vrex", "ib"};
  settings.penalties = {20, 0, 5};
  settings.pretrain = 1;
  Trainer trainer(testing::small_data(), settings, 1);
  trainer.advance();
  EXPECT_THAT(trainer.evaluate().weights, ::testing::ElementsAre(1.0, 1.0, 0.0, 1.0));
  trainer.advance();
  EXPECT_THAT(trainer.evaluate().weights, ::testing::ElementsAre(1.0 / 20, 1.0, 0.0, 5.0 / 20));
  EXPECT_GT(trainer.evaluate().losses[2], 0.0);
}

TEST(Trainer, GoesTheSameWayWhetherAnObjectiveIsRecordedOrNot) {
  Settings settings = small_settings();
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm", "irmv1"};
  settings.penalty = 20;
  const Evaluation alone = trained(settings);
  settings.objectives = {"erm", "irmv1", "vrex"};
  settings.penalties = {20, 0};
  const Evaluation recorded = trained(settings);
  EXPECT_DOUBLE_EQ(recorded.losses[0], alone.losses[0]);
  EXPECT_DOUBLE_EQ(recorded.losses[1], alone.losses[1]);
}

TEST(Trainer, ScoresTheTrainingSamplesUnlessToldNotTo) {
  const auto data = testing::small_data();
  const std::size_t trained_on = data->train.size();
  const std::size_t held_out = data->held_out.size();
  ASSERT_GT(held_out, 0U);
  Settings settings = small_settings();
  const Evaluation all = trained(settings);
  settings.score_train = false;
  const Evaluation fewer = trained(settings);
  ASSERT_EQ(all.scores.size(), trained_on + held_out);
  ASSERT_EQ(fewer.scores.size(), held_out);
  for (std::size_t i = 0; i < held_out; ++i) {
    EXPECT_EQ(fewer.scores[i].test, all.scores[trained_on + i].test);
    EXPECT_EQ(fewer.scores[i].value, all.scores[trained_on + i].value);
  }
  EXPECT_EQ(fewer.losses, all.losses);
}

TEST(Trainer, TakesPlainGradientStepsWithSgd) {
  Settings settings = small_settings();
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm"};
  settings.optimizer = Optimizer::sgd;
  settings.lr = 0.3;
  settings.l2 = 0.0;
  settings.steps = 4;
  const auto set = testing::small_data();
  data::Random random(1, "model");
  auto model = models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}), {.size = 4}, random);
  for (int step = 0; step < settings.steps; ++step) {
    std::vector<torch::Tensor> risks;
    for (const auto& environment : set->train) {
      risks.push_back(torch::binary_cross_entropy_with_logits(model->forward(environment.inputs).squeeze(1),
                                                              environment.labels));
    }
    model->zero_grad();
    torch::stack(risks).mean().backward();
    const torch::NoGradGuard no_graph;
    for (const torch::Tensor& parameter : model->parameters()) {
      parameter.sub_(parameter.grad(), settings.lr);
    }
  }
  Trainer trainer(set, settings, 1);
  while (!trainer.finished()) {
    trainer.advance();
  }
  const torch::NoGradGuard no_graph;
  const torch::Tensor& inputs = set->train.front().inputs;
  EXPECT_TRUE(trainer.predict(inputs).allclose(model->forward(inputs), 1e-4, 1e-5));
}

TEST(Trainer, DescendsOnErmAloneAndThenBalances) {
  Settings settings = small_settings();
  Trainer trainer(testing::small_data(), settings, 1);
  while (trainer.step() < settings.pretrain) {
    trainer.advance();
  }
  Evaluation evaluation = trainer.evaluate();
  EXPECT_FALSE(evaluation.balancing);
  EXPECT_THAT(evaluation.weights, ::testing::ElementsAre(1.0, 0.0, 0.0));
  EXPECT_EQ(evaluation.lr, settings.lr);
  trainer.advance();
  evaluation = trainer.evaluate();
  EXPECT_TRUE(evaluation.balancing);
  EXPECT_GT(evaluation.divergence, 0.0);
  EXPECT_LE(evaluation.lr, settings.balance_lr);
  EXPECT_GT(evaluation.lr, 0.9 * settings.balance_lr);
}

TEST(Trainer, RecordsTheLearningRateOfTheStepJustTaken) {
  Settings settings = small_settings();
  settings.backtrack = false;
  Trainer trainer(testing::small_data(), settings, 1);
  EXPECT_EQ(trainer.evaluate().lr, settings.lr);
  while (!trainer.finished()) {
    trainer.advance();
    const auto taken = static_cast<double>(trainer.step() - 1 - settings.pretrain);
    const double cosine =
        std::cos(std::numbers::pi * taken / static_cast<double>(settings.steps - settings.pretrain));
    const double expected = taken < 0 ? settings.lr : settings.balance_lr * 0.5 * (1.0 + cosine);
    EXPECT_DOUBLE_EQ(trainer.evaluate().lr, expected) << trainer.step();
  }
  EXPECT_GT(trainer.evaluate().lr, 0.0);
}

TEST(Trainer, LeavesTheFeaturizerAsErmMadeItWhereItIsFrozen) {
  Settings settings = small_settings();
  settle(settings);
  const auto data = testing::small_data();
  const auto after = [&](bool freeze, std::int64_t steps) {
    data::Random random(1, "model");
    const auto model = models::make_model(settings.model, settings.model_options, {.size = 4}, random);
    Settings changed = settings;
    changed.freeze_featurizer = freeze;
    Trainer trainer(data, model, changed, 1);
    for (std::int64_t step = 0; step < steps; ++step) {
      trainer.advance();
    }
    std::map<std::string, torch::Tensor> parameters;
    for (const auto& parameter : model->named_parameters()) {
      parameters[parameter.key()] = parameter.value().detach().clone();
    }
    return parameters;
  };
  const auto by_erm = after(true, settings.pretrain);
  const auto frozen = after(true, settings.steps);
  const auto free = after(false, settings.steps);
  ASSERT_GT(by_erm.size(), 2U);
  for (const auto& [name, value] : by_erm) {
    EXPECT_EQ(frozen.at(name).equal(value), !name.starts_with("head")) << name;
    EXPECT_FALSE(free.at(name).equal(value)) << name;
  }
}

// The checkpoint is from before the featurizer was frozen.
TEST(Trainer, LoadsAnEarlierStateAfterItHasFrozenTheFeaturizer) {
  Settings settings = small_settings();
  settings.freeze_featurizer = true;
  Trainer trainer(testing::small_data(), settings, 1);
  std::stringstream early;
  trainer.advance();
  trainer.save(early);
  while (!trainer.finished()) {
    trainer.advance();
  }
  const Evaluation expected = trainer.evaluate();
  trainer.load(early);
  EXPECT_EQ(trainer.step(), 1);
  while (!trainer.finished()) {
    trainer.advance();
  }
  expect_same(trainer.evaluate(), expected);
}

TEST(Trainer, FreezesAFeaturizerWithoutParameters) {
  Settings settings = small_settings();
  settings.model = "linear";
  const Evaluation free = trained(settings);
  settings.freeze_featurizer = true;
  EXPECT_EQ(trained(settings).losses, free.losses);
}

TEST(Trainer, LeavesParametersAsTheyAreWhereTheirNamesAreFrozen) {
  Settings settings = small_settings();
  settle(settings);
  const auto data = testing::small_data();
  const auto new_model = [&] {
    data::Random random(1, "model");
    const std::vector<std::int64_t> shape = data::input_shape(*data);
    const std::int64_t size =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    return models::make_model(settings.model, settings.model_options,
                              {.size = size, .shape = shape, .outputs = data->outputs}, random);
  };
  const auto model = new_model();
  const std::string first = model->named_parameters().front().key();
  settings.freeze = first;
  Trainer trainer(data, model, settings, 1);
  while (!trainer.finished()) {
    trainer.advance();
  }
  const auto before = new_model()->named_parameters();
  for (const auto& parameter : model->named_parameters()) {
    EXPECT_EQ(torch::equal(parameter.value(), before[parameter.key()]), parameter.key() == first)
        << parameter.key();
  }
  settings.freeze = first + ",hidden9";
  EXPECT_THROW(Trainer(data, new_model(), settings, 1), std::invalid_argument);
  settings.freeze = "head";
  EXPECT_THAT([&] { Trainer(data, new_model(), settings, 1); },
              ::testing::ThrowsMessage<std::invalid_argument>(
                  ::testing::HasSubstr("freeze: expected parameters below the head, since the head is always "
                                       "trained, got 'head'")));
}

TEST(Trainer, RefusesSettingsThatDoNotFit) {
  const auto message_of = [](const Settings& settings) -> std::string {
    try {
      Trainer(testing::small_data(), settings, 0);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  Settings settings = small_settings();
  settings.objectives = {"irmv1", "erm"};
  EXPECT_THAT(message_of(settings), HasSubstr("erm the first, got 'irmv1,erm'"));
  settings = small_settings();
  settings.preference = {1, 2};
  EXPECT_THAT(message_of(settings),
              HasSubstr("preference: expected auto, or one number per objective (3), got 2"));
  settings = small_settings();
  settings.objectives = {"erm", "vrexx", "irmv1"};
  EXPECT_THAT(message_of(settings), HasSubstr("did you mean 'vrex'"));
  settings = small_settings();
  settings.scheme = Scheme::linear;
  settings.penalties = {1};
  EXPECT_THAT(message_of(settings),
              HasSubstr("penalties: expected equal, or one number per objective after erm (2), got 1"));
  settings.penalties = {1, -1};
  EXPECT_THAT(message_of(settings), HasSubstr("penalties: expected equal, or a list of numbers from 0"));
  settings = small_settings();
  settings.momentum = 1.0;
  EXPECT_THAT(message_of(settings), HasSubstr("momentum: expected a number from 0 to below 1, got '1'"));
}

std::shared_ptr<data::EnvironmentSet> five_environments() {
  auto set = testing::small_data();
  for (const double beta : {0.3, 0.4, 0.5}) {
    set->train.push_back(testing::small_environment(9, beta, 50));
  }
  return set;
}

TEST(Trainer, ContinuesBitForBitWithSomeOfTheEnvironmentsPerStep) {
  for (const Scheme scheme : {Scheme::pair, Scheme::linear, Scheme::own}) {
    SCOPED_TRACE(to_string(scheme));
    Settings settings = small_settings();
    settings.scheme = scheme;
    settings.batch = 8;
    settings.environments = 2;
    if (scheme == Scheme::own) {
      settings.update = algorithms::algorithm_named("mixup").update;
      settings.objectives = {"erm"};
    } else {
      settings.objectives = {"erm", "irmv1", "group_dro"};  // with a weight per environment
    }
    const auto set = five_environments();
    Trainer whole(set, settings, 5);
    std::stringstream saved;
    while (!whole.finished()) {
      if (whole.step() == 22) {
        whole.save(saved);
      }
      whole.advance();
    }
    Trainer resumed(set, settings, 5);
    resumed.load(saved);
    while (!resumed.finished()) {
      resumed.advance();
    }
    expect_same(resumed.evaluate(), whole.evaluate());
    const torch::Tensor& inputs = set->train.front().inputs;
    EXPECT_TRUE(resumed.predict(inputs).equal(whole.predict(inputs)));

    settings.environments = 0;
    Trainer all(set, settings, 5);
    settings.environments = 5;
    Trainer five(set, settings, 5);
    while (!all.finished()) {
      all.advance();
      five.advance();
    }
    EXPECT_TRUE(all.predict(inputs).equal(five.predict(inputs)));
    EXPECT_FALSE(all.predict(inputs).equal(whole.predict(inputs)));
  }
}

TEST(Trainer, RefusesSomeOfTheEnvironmentsWhereAllAreNeeded) {
  const auto message_of = [](const Settings& settings) -> std::string {
    try {
      Trainer(five_environments(), settings, 0);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  Settings settings = small_settings();
  settings.environments = 2;
  EXPECT_THAT(message_of(settings), HasSubstr("environments: expected 0 (all) with batch 0"));
  settings.batch = 8;
  EXPECT_EQ(message_of(settings), "");
  settings.environments = 6;
  EXPECT_THAT(message_of(settings), HasSubstr("environments: expected"));
  settings.environments = -1;
  EXPECT_THAT(message_of(settings),
              HasSubstr("environments: expected an integer from 0 to 1000000000, got '-1'"));
  for (const char* objective : {"fishr", "dann"}) {
    settings = small_settings();
    settings.batch = 8;
    settings.environments = 2;
    settings.objectives = {"erm", "vrex", objective};
    EXPECT_THAT(message_of(settings),
                HasSubstr("environments: expected 0 or 5 (all) with " + std::string(objective)));
    settings.environments = 5;
    EXPECT_EQ(message_of(settings), "");
  }
  settings = small_settings();
  settings.scheme = Scheme::own;
  settings.update = algorithms::algorithm_named("dann").update;
  settings.objectives = {"erm"};
  settings.batch = 8;
  settings.environments = 2;
  EXPECT_THAT(message_of(settings), HasSubstr("with dann"));
}

TEST(StepSolver, SeesAStepThatRaisedItsOwnWeightedLossOrTheMostViolatedObjective) {
  StepSolver solver("epo", {1, 10}, {});
  const std::vector<double> losses = {1.0, 1.0};
  const std::vector<double> gram = {1, 0, 0, 1};
  EXPECT_FALSE(solver.overshot(losses));  // nothing was weighed yet
  const std::vector<double> weights = solver.weigh(losses, gram).weights;
  EXPECT_GT(weights[1], weights[0]);  // the second is ten times as violated
  EXPECT_FALSE(solver.overshot(std::vector<double>{1.0, 0.9}));
  EXPECT_FALSE(solver.overshot(std::vector<double>{1.0, 1.05}));
  EXPECT_TRUE(solver.overshot(std::vector<double>{0.1, 1.2}));
  EXPECT_TRUE(solver.overshot(std::vector<double>{20.0, 0.9}));
}

// pmtl's weights may be negative.
TEST(StepSolver, SeesGrowthOfANegativeWeightedLoss) {
  StepSolver solver("pmtl", {1, 1}, {});
  solver.restore({{1, 1}, {-3.0, 1.0}, {1.0, 1.0}});
  EXPECT_FALSE(solver.overshot(std::vector<double>{1.05, 1.05})) << "from -2 to -2.1";
  EXPECT_TRUE(solver.overshot(std::vector<double>{0.8, 1.0})) << "from -2 to -1.4";
}

TEST(Trainer, SaysThatTrackHasNoEffectOnAllSamples) {
  Settings settings = small_settings();
  settings.track = 10;
  EXPECT_THAT(Trainer(testing::small_data(), settings, 1).take_notices(),
              ::testing::ElementsAre("track has no effect on steps that use all samples"));
  settings.batch = 16;
  EXPECT_THAT(Trainer(testing::small_data(), settings, 1).take_notices(), ::testing::IsEmpty());
}

// Losses of two minibatches always differ; undoing steps because of that would stop all progress.
TEST(Trainer, DoesNotUndoStepsIfLossesOfTwoStepsCannotBeCompared) {
  Settings minibatches;
  minibatches.batch = 16;
  Settings drawing;
  drawing.objectives = {"erm", "irmv1", "clove"};
  drawing.preference = {1, 1e12, 1e8};
  drawing.objective_options["clove"] = objectives::options_of("clove", {{"clove_batch", "32"}});
  for (Settings settings : {minibatches, drawing}) {
    settings.model_options = models::options_of("mlp", {{"width", "8"}});
    settings.pretrain = 0;
    settings.steps = 40;
    settings.balance_lr = 0.05;
    Trainer trainer(testing::small_data(), settings, 0);
    while (!trainer.finished()) {
      trainer.advance();
    }
    EXPECT_EQ(trainer.evaluate().backtracks, 0);
  }
}

TEST(Trainer, TellsTheMeanLossesOfMinibatchesSinceItWasLastAsked) {
  for (const Scheme scheme : {Scheme::linear, Scheme::pair}) {
    Settings settings;
    settings.scheme = scheme;
    settings.batch = 16;
    settings.model_options = models::options_of("mlp", {{"width", "8"}});
    settings.pretrain = 5;
    settings.steps = 12;
    Trainer each(testing::small_data(), settings, 0);
    std::vector<double> sums(3, 0.0);
    while (!each.finished()) {
      each.advance();
      const Evaluation one = each.evaluate();
      EXPECT_EQ(one.mean_losses, one.losses) << "the mean of one step";
      for (std::size_t k = 0; k < sums.size(); ++k) {
        sums[k] += one.losses[k];
      }
    }
    // The same with a stop in the middle, which must not show.
    std::stringstream saved;
    {
      Trainer part(testing::small_data(), settings, 0);
      while (part.step() < 7) {
        part.advance();
      }
      part.save(saved);
    }
    Trainer rest(testing::small_data(), settings, 0);
    rest.load(saved);
    while (!rest.finished()) {
      rest.advance();
    }
    const Evaluation all = rest.evaluate();
    ASSERT_EQ(all.mean_losses.size(), 3U);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      EXPECT_NEAR(all.mean_losses[k], sums[k] / 12.0, 1e-12 + 1e-9 * sums[k]);
    }
    EXPECT_TRUE(rest.evaluate().mean_losses.empty()) << "no step since";
  }
}

TEST(Trainer, HasNoMeanLossesForFullBatches) {
  Settings settings;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  settings.steps = 3;
  Trainer trainer(testing::small_data(), settings, 0);
  trainer.advance();
  trainer.advance();
  EXPECT_TRUE(trainer.evaluate().mean_losses.empty());
}

}  // namespace
}  // namespace pair::train::trainer_test
