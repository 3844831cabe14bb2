#include "pair/data/measuring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>

#include "pair/algorithms/registry.h"
#include "pair/data/sampler.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/batch.h"
#include "pair/train/batches.h"
#include "pair/train/minibatches.h"
#include "pair/train/step.h"
#include "pair/train/step_solver.h"
#include "pair/train/trainer.h"
#include "tests/train/normalized_model.h"
#include "tests/train/small_data.h"
#include "tests/train/trained.h"

namespace pair::train::measuring_test {
namespace {

using data::Measuring;
using testing::after_all;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Measuring, LeavesSamplesForBothRoles) {
  const Measuring tenth{.share = 0.1};
  EXPECT_EQ(tenth.count(25'000), 2'500);
  EXPECT_EQ(tenth.count(64), 6);
  EXPECT_EQ(tenth.count(2), 1);
  EXPECT_EQ((Measuring{.share = 0.5}.count(3)), 2);
  EXPECT_FALSE(Measuring().on());
}

// Draws of 500 steps: which samples of the environment measured, and which were trained on, in each rotation.
struct Seen {
  std::set<std::int64_t> measuring;
  std::set<std::int64_t> training;
};
std::vector<Seen> roles_seen(const Measuring& measuring, std::int64_t size, std::int64_t batch) {
  Minibatches batches(3, {7, size}, batch, torch::kCPU, 0, measuring);
  std::vector<Seen> seen(static_cast<std::size_t>(measuring.rotations(499)) + 1);
  for (std::int64_t step = 0; step < 500; ++step) {
    const torch::Tensor rows = batches.rows(step).view({2, batch})[1];
    for (std::int64_t place = 0; place < batch; ++place) {
      Seen& now = seen[static_cast<std::size_t>(measuring.rotations(step))];
      (place < measuring.count(batch) ? now.measuring : now.training)
          .insert(rows[place].item<std::int64_t>());
    }
  }
  return seen;
}

TEST(Measuring, SamplesKeepTheirRoleUnlessRolesRotate) {
  const std::vector<Seen> seen = roles_seen({.share = 0.25}, 40, 8);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].measuring.size(), 10U);
  EXPECT_EQ(seen[0].training.size(), 30U);
  for (const std::int64_t row : seen[0].measuring) {
    EXPECT_FALSE(seen[0].training.contains(row)) << row;
    EXPECT_GE(row, 7);
    EXPECT_LT(row, 47);
  }
}

TEST(Measuring, EverySampleMeasuresOnceInARoundOfRotations) {
  const std::vector<Seen> seen = roles_seen({.share = 0.25, .rotate = 100}, 40, 8);
  ASSERT_EQ(seen.size(), 5U);
  std::set<std::int64_t> measured;
  for (std::size_t turn = 0; turn < 4; ++turn) {
    EXPECT_EQ(seen[turn].measuring.size(), 10U) << turn;
    for (const std::int64_t row : seen[turn].measuring) {
      EXPECT_TRUE(measured.insert(row).second) << row;
      EXPECT_FALSE(seen[turn].training.contains(row)) << row;
    }
  }
  EXPECT_EQ(measured.size(), 40U);
  EXPECT_EQ(seen[4].measuring, seen[0].measuring) << "the next round";
}

TEST(Measuring, StreamedSamplesAreThoseOfResidentData) {
  const std::vector<std::int64_t> sizes{1000, 3, 70'000};
  const std::vector<std::vector<std::size_t>> samples = testing::consecutive_samples(sizes);
  for (const std::int64_t rotate : {0, 7}) {
    const Measuring measuring{.share = 0.3, .rotate = rotate};
    Minibatches minibatches(5, sizes, 8, torch::kCPU, 0, measuring);
    const data::Sampler sampler(samples, {.seed = 5, .batch = 8, .measuring = measuring});
    for (const std::int64_t step : {0, 1, 63, 64, 65, 5000, 1'000'000'000}) {
      const torch::Tensor rows = minibatches.rows(step);
      const std::vector<std::size_t> drawn = sampler.samples_of(step);
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        ASSERT_EQ(rows[static_cast<std::int64_t>(i)].item<std::int64_t>(),
                  static_cast<std::int64_t>(drawn[i]))
            << "rotate " << rotate << " step " << step << " place " << i;
      }
    }
  }
}

TEST(Measuring, AReplacementHasTheRoleOfTheSampleThatItReplaces) {
  std::vector<std::size_t> samples(40);
  std::iota(samples.begin(), samples.end(), 0);
  const data::Sampler sampler({samples}, {.seed = 5, .batch = 8, .measuring = {.share = 0.25}});
  std::set<std::size_t> measuring;
  std::set<std::size_t> training;
  for (std::int64_t step = 0; step < 200; ++step) {
    for (std::size_t place = 0; place < 8; ++place) {
      (place < 2 ? measuring : training).insert(sampler.samples_of(step)[place]);
      EXPECT_FALSE((place < 2 ? training : measuring).contains(sampler.replacement(step, place, 1)));
    }
  }
}

// sum_j dF/dm_j at the moments of the measuring samples, times the gradient of m_j on the others: V-REx's
// gradient is linear in the distance of the risks.
TEST(Measuring, SamplesGiveTheSlopesAndTheOthersTheDirection) {
  data::Random initial(3, "model");
  const auto model = models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}),
                                        {.size = 4, .outputs = 1}, initial);
  model->to(torch::kDouble);
  std::vector<std::unique_ptr<objectives::Objective>> objectives;
  for (const char* name : {"erm", "irmv1", "vrex"}) {
    objectives.push_back(objectives::make_objective(name));
  }
  const auto set = testing::small_data(1);
  const Batch all{torch::cat({set->train[0].inputs, set->train[1].inputs}).to(torch::kDouble),
                  torch::cat({set->train[0].labels, set->train[1].labels}).to(torch::kDouble),
                  {200, 200}};
  const Batch batch = with_roles(all, 50);
  EXPECT_EQ(batch.sizes, (std::vector<std::int64_t>{150, 150}));
  EXPECT_TRUE(batch.inputs[0].equal(all.inputs[50]));
  EXPECT_TRUE(batch.inputs[150].equal(all.inputs[250]));
  EXPECT_TRUE(batch.measuring.inputs[50].equal(all.inputs[200]));
  EXPECT_TRUE(batch.measuring.labels[50].equal(all.labels[200]));
  const Batch training{batch.inputs, batch.labels, batch.sizes};
  const Batch measuring{batch.measuring.inputs, batch.measuring.labels, batch.measuring.sizes};

  const auto gap_of = [&](const Batch& some) {
    const torch::Tensor risks =
        moments_of(data::TaskLoss::binary_cross_entropy, model->forward(some.inputs).detach(), some.labels,
                   some.sizes, /*derivatives=*/false)
            .risks;
    return (risks[0] - risks[1]).item<double>();
  };
  data::Random draws(0, "draws");
  Step step(model, objectives, data::TaskLoss::binary_cross_entropy);
  const std::vector<double> vrex{0.0, 0.0, 1.0};
  const Step::Result by_roles = step.with_weights(batch, vrex, draws);
  const Step::Result trained = step.with_weights(training, vrex, draws);
  const Step::Result measured = step.with_weights(measuring, vrex, draws);
  EXPECT_TRUE(torch::allclose(by_roles.losses, measured.losses, 1e-12, 1e-15));
  EXPECT_TRUE(torch::allclose(by_roles.gradient, trained.gradient * (gap_of(measuring) / gap_of(training)),
                              1e-9, 1e-14));
  EXPECT_FALSE(torch::allclose(by_roles.gradient, trained.gradient, 1e-3, 1e-14));

  // The solver's path gives the same.
  const torch::Tensor compared = step.compare(batch, GradientSource::head, draws);
  EXPECT_TRUE(torch::allclose(compared.narrow(0, 0, 3), measured.losses, 1e-12, 1e-15));
  const torch::Tensor gradient = step.gradient(torch::tensor({0.0, 0.0, 1.0}, torch::kDouble));
  EXPECT_TRUE(torch::allclose(gradient, by_roles.gradient, 1e-9, 1e-14));
}

Settings measuring_settings(std::int64_t batch, double share, std::int64_t rotate) {
  Settings settings;
  settings.steps = 30;
  settings.pretrain = 12;
  settings.batch = batch;
  settings.measure_share = share;
  settings.measure_rotate = rotate;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  settings.balance_lr = 0.05;
  return settings;
}

// ERM alone, whose slopes are constant: what measures has no influence.
TEST(Measuring, SamplesGiveNoGradient) {
  for (const std::int64_t batch : {0, 16}) {
    const auto prediction = [&](bool altered, double share) {
      const auto set = testing::small_data();
      if (altered) {
        const torch::Tensor rows = measuring_rows(1, {200, 200});
        for (std::int64_t i = 0; i < 40; ++i) {  // the measuring fifth of the first environment
          torch::Tensor label = set->train[0].labels[rows[i].item<std::int64_t>()];
          label.fill_(1.0 - label.item<double>());
        }
      }
      Settings settings = measuring_settings(batch, share, 0);
      settings.scheme = Scheme::linear;
      settings.objectives = {"erm"};
      Trainer trainer(set, settings, 1);
      (void)after_all(trainer);
      return trainer.predict(set->held_out[0].inputs);
    };
    EXPECT_TRUE(prediction(false, 0.2).equal(prediction(true, 0.2))) << batch;
    EXPECT_FALSE(prediction(false, 0.0).equal(prediction(true, 0.0))) << batch;
  }
}

TEST(Measuring, ChangesTheLossesThatTheSolverSees) {
  for (const std::int64_t batch : {0, 16}) {
    const auto losses = [&](double share, std::int64_t rotate) {
      Trainer trainer(testing::small_data(), measuring_settings(batch, share, rotate), 1);
      return after_all(trainer).losses;
    };
    EXPECT_EQ(losses(0.0, 0), losses(0.0, 5));
    EXPECT_NE(losses(0.0, 0), losses(0.2, 0));
    EXPECT_NE(losses(0.2, 0), losses(0.2, 5));
  }
}

TEST(Measuring, ResumesExactlyBetweenAndAtRotations) {
  for (const std::int64_t batch : {0, 16}) {
    for (const std::int64_t stop : {3, 10, 15, 20, 23}) {
      const Settings settings = measuring_settings(batch, 0.2, 5);
      Trainer whole(testing::small_data(), settings, 1);
      Trainer first(testing::small_data(), settings, 1);
      while (first.step() < stop) {
        first.advance();
      }
      std::stringstream saved;
      first.save(saved);
      Trainer second(testing::small_data(), settings, 1);
      second.load(saved);
      EXPECT_EQ(after_all(second).losses, after_all(whole).losses) << "batch " << batch << " stop " << stop;
    }
  }
}

// The guard compares losses of two steps only if the same samples measured in both: here the second half of
// an environment, which measures from the second step on, has labels that are all wrong.
TEST(Measuring, ARotationIsNotTakenForAStepThatWasTooLong) {
  Settings settings = measuring_settings(0, 0.5, 1);
  settings.pretrain = 0;
  settings.steps = 2;
  settings.balance_lr = 1e-6;
  const auto set = testing::small_data();
  const torch::Tensor rows = measuring_rows(1, {200, 200});
  for (std::int64_t e = 0; e < 2; ++e) {
    torch::Tensor& labels = set->train[static_cast<std::size_t>(e)].labels;
    for (std::int64_t i = 100; i < 200; ++i) {
      labels[rows[200 * e + i].item<std::int64_t>() - 200 * e] = 1e3;
    }
  }
  Trainer trainer(set, settings, 1);
  EXPECT_EQ(after_all(trainer).backtracks, 0);
}

TEST(Measuring, LeavesRunningStatisticsToTheOtherSamples) {
  const auto model = testing::normalized_model();
  const auto before = testing::normalized_model();
  Trainer trainer(testing::small_data(), model, measuring_settings(16, 0.25, 0), 1);
  (void)after_all(trainer);
  EXPECT_EQ(model->norm->num_batches_tracked.item<std::int64_t>(), 30) << "one pass per step";
  EXPECT_FALSE(model->norm->running_mean.equal(before->norm->running_mean));
}

// A solver with a memory still sees the weights of the step before.
TEST(Measuring, ARotationLeavesTheSolverItsLastWeights) {
  StepSolver solver("epo_smooth", {1.0, 2.0});
  const std::vector<double> gram{1.0, 0.2, 0.2, 1.0};
  (void)solver.weigh(std::vector{1.0, 1.0}, gram);
  const std::vector<double> weights = solver.state().weights;
  ASSERT_TRUE(solver.overshot(std::vector{9.0, 9.0}));
  solver.forget_losses();
  EXPECT_FALSE(solver.overshot(std::vector{9.0, 9.0}));
  EXPECT_EQ(solver.state().weights, weights);
}

// Every combination trains, differs from the same without measuring, and resumes exactly.
TEST(Measuring, WorksWithTheOtherSettings) {
  struct Case {
    std::string name;
    std::function<void(Settings&)> change;
  };
  const std::vector<Case> cases{
      {"some environments", [](Settings& s) { s.environments = 2; }},
      {"averages", [](Settings& s) { s.track = 5.0; }},
      {"held at noise",
       [](Settings& s) {
         s.track = 5.0;
         s.hold_at_noise = true;
       }},
      {"parts", [](Settings& s) { s.accumulate = 3; }},
      {"group_dro",
       [](Settings& s) {
         s.objectives = {"erm", "group_dro", "worst_risk"};
       }},
      {"featurizer's gradients", [](Settings& s) { s.gradients = GradientSource::featurizer; }},
      {"frozen featurizer", [](Settings& s) { s.freeze_featurizer = true; }},
      {"linear scheme",
       [](Settings& s) {
         s.scheme = Scheme::linear;
         s.penalty = 10.0;
       }},
      {"full batches of different sizes", [](Settings& s) { s.batch = 0; }},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    auto set = testing::small_data();
    set->train.push_back(testing::small_environment(7, 0.3, 120));
    const auto trained = [&](double share, std::int64_t stop) {
      Settings settings = measuring_settings(16, share, 5);
      one.change(settings);
      auto trainer = std::make_unique<Trainer>(set, settings, 1);
      while (trainer->step() < stop) {
        trainer->advance();
      }
      std::stringstream saved;
      trainer->save(saved);
      auto resumed = std::make_unique<Trainer>(set, settings, 1);
      resumed->load(saved);
      return after_all(*resumed).losses;
    };
    const std::vector<double> whole = trained(0.25, 0);
    EXPECT_EQ(trained(0.25, 17), whole);
    if (one.name != "parts") {  // 16 samples are not divisible by 3
      EXPECT_NE(trained(0.0, 0), whole);
    }
  }
}

TEST(Measuring, SaysWhatItDoesNotMeasure) {
  Settings settings = measuring_settings(16, 0.25, 0);
  settings.objectives = {"erm", "coral"};
  settings.preference = {1, 1};
  Trainer features(testing::small_data(), settings, 1);
  EXPECT_THAT(features.take_notices(),
              ::testing::Contains(HasSubstr("measure_share has no effect on coral")));
  settings.scheme = Scheme::linear;
  settings.objectives = {"erm"};
  Trainer alone(testing::small_data(), settings, 1);
  EXPECT_THAT(alone.take_notices(), ::testing::Contains(HasSubstr("measure_share only leaves out samples")));
  Trainer moments(testing::small_data(), measuring_settings(16, 0.25, 0), 1);
  EXPECT_THAT(moments.take_notices(), ::testing::IsEmpty());
}

TEST(Measuring, SaysThatARotationNeedsAShare) {
  Trainer without(testing::small_data(), measuring_settings(16, 0.0, 5), 1);
  EXPECT_THAT(without.take_notices(), ::testing::Contains(HasSubstr("measure_rotate has no effect")));
  Trainer with(testing::small_data(), measuring_settings(16, 0.2, 5), 1);
  EXPECT_THAT(with.take_notices(), ::testing::Not(::testing::Contains(HasSubstr("measure_rotate"))));
}

TEST(Measuring, RefusesWhatItDoesNotFit) {
  const auto refusal = [](const Settings& settings, const std::string& what) {
    EXPECT_THAT([&] { Trainer(testing::small_data(), settings, 1); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(what)));
  };
  Settings settings = measuring_settings(16, 0.2, 0);
  settings.objectives = {"erm", "iga"};
  settings.preference = {1, 1};
  refusal(settings, "measure_share: expected 0 with iga, which needs the whole network, got 0.2");
  refusal(measuring_settings(1, 0.2, 0), "batch: expected at least 2 with measure_share");
  refusal(measuring_settings(16, 0.6, 0), "measure_share: expected a number from 0 to 0.5, got '0.6'");
  settings = measuring_settings(16, 0.25, 0);
  settings.accumulate = 8;
  refusal(settings,
          "accumulate: expected a divisor of the samples per batch that are trained on (12), got 8");
  settings = measuring_settings(16, 0.25, 0);
  settings.objective_options["irmv1"] = objectives::options_of("irmv1", {{"irmv1_unbiased", "true"}});
  refusal(settings, "irmv1_unbiased: expected false with measure_share");
  const data::Share half{.part = 0, .parts = 2};
  EXPECT_THAT([&] { Batches(*testing::small_data(), measuring_settings(16, 0.2, 0), 1, torch::kCPU, half); },
              ThrowsMessage<std::invalid_argument>("ranks: expected 1 with measure_share, got 2"));
  auto tiny = testing::small_data(0, 1);
  EXPECT_THAT(
      [&] { Trainer(tiny, measuring_settings(0, 0.2, 0), 1); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("samples of an environment: expected at least 2")));
}

}  // namespace
}  // namespace pair::train::measuring_test
