#include "pair/train/tracked_moments.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <sstream>

#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/noise_floor.h"
#include "pair/train/step.h"
#include "pair/train/trainer.h"
#include "tests/train/small_data.h"
#include "tests/train/trained.h"

namespace pair::train::tracked_moments_test {
namespace {

using testing::after_all;

Moments moments(double first, double second) {
  return {torch::tensor({first, second}, torch::kDouble),
          torch::tensor({-first, 2 * second}, torch::kDouble)};
}

TEST(TrackedMoments, AreAPlainMeanUntilTheWindowIsFullAndThenMoveOn) {
  TrackedMoments tracked(2.0, 2, torch::kCPU);
  EXPECT_TRUE(tracked.updated(moments(1, 4)).risks.equal(moments(1, 4).risks));
  const Moments second = tracked.updated(moments(3, 8));
  EXPECT_TRUE(second.risks.equal(moments(2, 6).risks));
  EXPECT_TRUE(second.derivatives.equal(moments(2, 6).derivatives));
  const Moments third = tracked.updated(moments(4, 8));  // half of the way, not a third
  EXPECT_TRUE(third.risks.equal(moments(3, 7).risks));
  EXPECT_TRUE(second.risks.equal(moments(2, 6).risks)) << "what was returned stays";
}

TEST(TrackedMoments, PassOverWhatIsNotFinite) {
  TrackedMoments tracked(10.0, 2, torch::kCPU);
  (void)tracked.updated(moments(1, 4));
  (void)tracked.updated(moments(std::numeric_limits<double>::quiet_NaN(), 4));
  const Moments last = tracked.updated(moments(std::numeric_limits<double>::infinity(), 4));
  EXPECT_TRUE(last.risks.equal(moments(1, 4).risks));
}

TEST(TrackedMoments, KnowTheVarianceOfTheAverages) {
  constexpr double window = 10.0;
  TrackedMoments tracked(window, 2, torch::kCPU);
  data::Random random(0, "noise");
  double squares = 0.0;
  double estimates = 0.0;
  double derivatives = 0.0;
  constexpr int steps = 20'000;
  constexpr int warm = 200;
  for (int i = 0; i < steps; ++i) {
    const Moments noisy = moments(1.0 + 0.1 * random.normal(), 4.0 + random.normal());
    const double deviation = tracked.updated(noisy).risks[0].item<double>() - 1.0;
    if (i >= warm) {
      squares += deviation * deviation / (steps - warm);
      estimates += tracked.variances().risks[0].item<double>() / (steps - warm);
      derivatives += tracked.variances().derivatives[1].item<double>() / (steps - warm);
    }
  }
  EXPECT_NEAR(squares, 0.01 / (2 * window - 1), 0.1 * squares);
  EXPECT_NEAR(estimates, squares, 0.1 * squares);
  EXPECT_NEAR(derivatives, 400 * estimates, 40 * estimates) << "twice the second risk";
}

TEST(TrackedMoments, KnowTheVarianceOfTheAveragesWhileTheWindowFills) {
  constexpr int repeats = 4000;
  constexpr int last = 12;
  std::vector<double> squares(last, 0.0);
  std::vector<double> estimates(last, 0.0);
  data::Random random(0, "noise");
  for (int repeat = 0; repeat < repeats; ++repeat) {
    TrackedMoments tracked(50.0, 2, torch::kCPU);
    for (std::size_t t = 0; t < last; ++t) {
      const Moments noisy = moments(1.0 + 0.1 * random.normal(), 4.0);
      const double deviation = tracked.updated(noisy).risks[0].item<double>() - 1.0;
      squares[t] += deviation * deviation / repeats;
      estimates[t] += tracked.variances().risks[0].item<double>() / repeats;
    }
  }
  for (std::size_t t = 1; t < last; ++t) {
    EXPECT_NEAR(squares[t], 0.01 / static_cast<double>(t + 1), 0.1 * squares[t]) << t;
    // Earlier deviations are from averages of fewer batches, so the estimate is an upper bound.
    EXPECT_GT(estimates[t], 0.9 * squares[t]) << t;
    EXPECT_LT(estimates[t], 1.5 * squares[t]) << t;
  }
}

TEST(TrackedMoments, HaveNoVarianceAfterOneBatch) {
  TrackedMoments tracked(10.0, 2, torch::kCPU);
  (void)tracked.updated(moments(1, 4));
  EXPECT_TRUE(tracked.variances().risks.equal(torch::zeros({2}, torch::kDouble)));
}

// The host's formulas are those of the tensors, from the first batch on.
TEST(TrackedMoments, HaveTheSameVariancesAndNoiseFloorsOnTheHost) {
  std::vector<std::unique_ptr<objectives::Objective>> some;
  for (const char* name : {"erm", "irmv1", "vrex"}) {
    some.push_back(objectives::make_objective(name));
  }
  some.push_back(
      objectives::make_objective("irmv1", objectives::options_of("irmv1", {{"irmv1_unbiased", "true"}})));
  for (const std::int64_t environments : {1, 2}) {
    TrackedMoments tracked(10.0, environments, torch::kCPU);
    data::Random random(0, "noise");
    for (int step = 0; step < 200; ++step) {
      const torch::Tensor numbers = tracked.with_variance_numbers(torch::ones({3}, torch::kDouble));
      ASSERT_EQ(numbers.numel(), 3 + 1 + 2 * environments);
      const auto* data = numbers.data_ptr<double>();
      const std::vector<double> host = tracked.variances({data + 3, data + numbers.numel()});
      const Moments there = tracked.variances();
      const torch::Tensor floors = noise_floors(some, there);
      const auto n = static_cast<std::size_t>(environments);
      const std::vector<double> host_floors =
          noise_floors(some, std::span(host).first(n), std::span(host).last(n));
      for (std::int64_t e = 0; e < environments; ++e) {
        const auto at = static_cast<std::size_t>(e);
        EXPECT_DOUBLE_EQ(host[at], there.risks[e].item<double>()) << step;
        EXPECT_DOUBLE_EQ(host[n + at], there.derivatives[e].item<double>()) << step;
      }
      for (std::size_t k = 0; k < some.size(); ++k) {
        const double expected = floors[static_cast<std::int64_t>(k)].item<double>();
        EXPECT_EQ(std::isnan(host_floors[k]), std::isnan(expected)) << step << " " << k;
        if (!std::isnan(expected)) {
          EXPECT_NEAR(host_floors[k], expected, 1e-14 * expected) << step << " " << k;
        }
      }
      (void)tracked.updated({torch::rand({environments}, torch::kDouble) * random.uniform(),
                             torch::rand({environments}, torch::kDouble)});
    }
  }
}

TEST(TrackedMoments, RefuseTheStateOfOthers) {
  const TrackedMoments two(10.0, 2, torch::kCPU);
  TrackedMoments three(10.0, 3, torch::kCPU);
  EXPECT_THROW(three.restore(two.state()), std::runtime_error);
  EXPECT_THROW(three.restore({}), std::runtime_error);
}

struct TrackedStep {
  TrackedStep() {
    data::Random random(3, "model");
    model = models::make_model("mlp", models::options_of("mlp", {{"width", "8"}}), {.size = 4, .outputs = 1},
                               random);
    model->to(torch::kDouble);
    for (const char* name : {"erm", "irmv1", "vrex"}) {
      objectives.push_back(objectives::make_objective(name));
    }
  }

  static Batch batch_of(std::uint64_t seed) {
    const auto set = testing::small_data(seed);
    return {torch::cat({set->train[0].inputs, set->train[1].inputs}).to(torch::kDouble),
            torch::cat({set->train[0].labels, set->train[1].labels}).to(torch::kDouble),
            {200, 200}};
  }

  std::shared_ptr<models::Model> model;
  std::vector<std::unique_ptr<objectives::Objective>> objectives;
  data::Random random{0, "draws"};
};

// sum_j dF/dm_j at the averages, times the gradient of m_j on the batch: V-REx's is linear in the distance of
// the averaged risks, so that it is found from the gradients of ERM and V-REx on one batch alone.
TEST(TrackedMoments, GiveTheSlopesAndTheBatchTheDirection) {
  TrackedStep fixture;
  const Batch first = TrackedStep::batch_of(1);
  const Batch second = TrackedStep::batch_of(5);
  Step plain(fixture.model, fixture.objectives, data::TaskLoss::binary_cross_entropy);
  const auto vrex = std::vector<double>{0.0, 0.0, 1.0};
  const Step::Result alone_first = plain.with_weights(first, vrex, fixture.random);
  const Step::Result alone = plain.with_weights(second, vrex, fixture.random);

  Step tracked(fixture.model, fixture.objectives, data::TaskLoss::binary_cross_entropy);
  tracked.track_moments(10.0, 2, torch::kCPU);
  ASSERT_NE(tracked.tracked(), nullptr);
  const Step::Result same = tracked.with_weights(first, vrex, fixture.random);
  EXPECT_TRUE(same.losses.equal(alone_first.losses)) << "the first average is the batch's own";
  EXPECT_TRUE(same.gradient.equal(alone_first.gradient));
  const Step::Result both = tracked.with_weights(second, vrex, fixture.random);

  // The variance of two risks is (R_1 - R_2)^2 / 2.
  const auto gap_of = [&](const Batch& batch) {
    const torch::Tensor risks =
        moments_of(data::TaskLoss::binary_cross_entropy, fixture.model->forward(batch.inputs).detach(),
                   batch.labels, batch.sizes, /*derivatives=*/false)
            .risks;
    return (risks[0] - risks[1]).item<double>();
  };
  const double gap = 0.5 * (gap_of(first) + gap_of(second));
  EXPECT_NEAR(both.losses[2].item<double>(), gap * gap / 2, 1e-12);
  EXPECT_TRUE(torch::allclose(both.gradient, alone.gradient * (gap / gap_of(second)), 1e-9, 1e-14));
  EXPECT_FALSE(torch::allclose(both.gradient, alone.gradient, 1e-3, 1e-14));
}

Settings tracked_settings(std::int64_t batch, double track) {
  Settings settings;
  settings.steps = 30;
  settings.pretrain = 12;
  settings.batch = batch;
  settings.track = track;
  settings.solver = "chebyshev_smooth";
  settings.balance_optimizer = Optimizer::adam;
  settings.refresh = true;
  settings.balance_lr = 1e-3;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  return settings;
}

TEST(TrackedMoments, ChangeMinibatchesAlone) {
  const auto losses = [](std::int64_t batch, double track) {
    Trainer trainer(testing::small_data(), tracked_settings(batch, track), 1);
    return after_all(trainer).losses;
  };
  EXPECT_EQ(losses(0, 1), losses(0, 10));
  EXPECT_NE(losses(16, 1), losses(16, 10));
}

// Two environments with the same distribution: penalties are noise, which a network reduces by predicting nothing.
TEST(TrackedMoments, HoldANetworkAtTheNoiseInsteadOfUnlearningEverything) {
  const auto risk = [](bool hold, double track) {
    auto data = testing::small_data();
    data->train = {testing::small_environment(1, 0.2, 400), testing::small_environment(2, 0.2, 400)};
    Settings settings = tracked_settings(16, track);
    settings.steps = 1000;
    settings.pretrain = 200;
    settings.balance_lr = 1e-3;
    settings.hold_at_noise = hold;
    Trainer trainer(data, settings, 1);
    return after_all(trainer).losses[0];
  };
  const double held = risk(true, 10);
  const double free = risk(false, 10);
  EXPECT_LT(held, 0.62) << "about 0.5 after the pretraining";
  EXPECT_GT(free, held + 0.03) << "towards log 2";
  EXPECT_EQ(risk(true, 1), risk(false, 1)) << "a noise floor needs averages";
}

TEST(TrackedMoments, HoldingChangesNothingOnFullBatches) {
  const auto losses = [](bool hold) {
    Settings settings = tracked_settings(0, 10);
    settings.hold_at_noise = hold;
    Trainer trainer(testing::small_data(), settings, 1);
    return after_all(trainer).losses;
  };
  EXPECT_EQ(losses(true), losses(false));
}

TEST(TrackedMoments, AreResumedExactly) {
  for (const std::int64_t stop : {5, 12, 20}) {
    Settings settings = tracked_settings(16, 10);
    settings.hold_at_noise = stop == 20;
    Trainer whole(testing::small_data(), settings, 1);
    Trainer first(testing::small_data(), settings, 1);
    while (first.step() < stop) {
      first.advance();
    }
    std::stringstream saved;
    first.save(saved);
    Trainer second(testing::small_data(), settings, 1);
    second.load(saved);
    const Evaluation resumed = after_all(second);
    const Evaluation expected = after_all(whole);
    EXPECT_EQ(resumed.losses, expected.losses) << stop;
    EXPECT_EQ(resumed.noise_floors[2], expected.noise_floors[2]) << stop;
  }
}

TEST(TrackedMoments, GiveRecordsTheirNoiseFloor) {
  const auto floors = [](std::int64_t batch, double track) {
    Trainer trainer(testing::small_data(), tracked_settings(batch, track), 1);
    return after_all(trainer).noise_floors;
  };
  EXPECT_TRUE(floors(0, 10).empty());
  EXPECT_TRUE(floors(16, 1).empty());
  const std::vector<double> tracked = floors(16, 10);
  ASSERT_EQ(tracked.size(), 3U);
  EXPECT_TRUE(std::isnan(tracked[0]));
  EXPECT_GT(tracked[1], 0.0);
  EXPECT_GT(tracked[2], floors(64, 10)[2]) << "more samples, less noise";
}

// GroupDRO's weights and the worst risk come from the averages, too: max is biased upwards by noise.
TEST(TrackedMoments, AreWhatGroupDroAndTheWorstRiskSee) {
  TrackedStep fixture;
  fixture.objectives.clear();
  for (const char* name : {"erm", "group_dro", "worst_risk"}) {
    fixture.objectives.push_back(objectives::make_objective(name));
  }
  Step step(fixture.model, fixture.objectives, data::TaskLoss::binary_cross_entropy);
  step.track_moments(10.0, 2, torch::kCPU);
  const std::vector<double> weights{1.0, 1.0, 1.0};
  (void)step.with_weights(TrackedStep::batch_of(1), weights, fixture.random);
  const Step::Result result = step.with_weights(TrackedStep::batch_of(5), weights, fixture.random);
  const torch::Tensor averages = step.tracked()->state()[1][0];
  EXPECT_EQ(result.losses[2].item<double>(), averages.max().item<double>());
  EXPECT_GE(result.losses[1].item<double>(), averages.min().item<double>());
  EXPECT_LE(result.losses[1].item<double>(), averages.max().item<double>());
}

}  // namespace
}  // namespace pair::train::tracked_moments_test
