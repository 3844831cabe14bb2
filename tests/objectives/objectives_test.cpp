#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "pair/base/numbers.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "tests/objectives/batches.h"

// Guarantees of all objectives: invariances, state, errors.

namespace pair::objectives::objectives_test {
namespace {

using data::Random;
using data::TaskLoss;
using ::testing::AllOf;
using testing::Batch;
using ::testing::HasSubstr;
using testing::random_batch;
using ::testing::ThrowsMessage;

const std::vector<std::string> on_the_head = {"erm", "irmv1",     "vrex",  "ib",  "fishr",     "clove",
                                              "sd",  "group_dro", "coral", "mmd", "worst_risk"};

double value_of(const std::string& name, const Batch& batch) {
  Random random(1, "objective");
  return make_objective(name)->value(batch.view(), random).item<double>();
}

auto refused(const std::string& sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
}

// ---- state

// A step that is not finite is refused, and the next one must not suffer from it.
TEST(Objectives, RecoverFromABatchThatIsNotFinite) {
  for (const ObjectiveEntry& entry : objectives()) {
    const std::unique_ptr<Objective> objective = make_objective(entry.name);
    if (objective->needs_network()) {
      continue;
    }
    const Batch batch = random_batch(TaskLoss::cross_entropy, {4, 4});
    Batch broken = batch;
    broken.features = torch::full_like(batch.features, std::numeric_limits<double>::infinity());
    broken.logits = torch::full_like(batch.logits, std::nan(""));
    Random random(1, "objective");
    for (int repeat = 0; repeat < 2; ++repeat) {
      (void)objective->value(broken.view(), random);
      EXPECT_TRUE(std::isfinite(objective->value(batch.view(), random).item<double>())) << entry.name;
    }
  }
}

// ---- invariances

TEST(Objectives, TheOrderOfSamplesWithinAnEnvironmentDoesNotMatter) {
  const Batch batch = random_batch(TaskLoss::cross_entropy, {4, 3});
  const torch::Tensor order = torch::tensor({2, 0, 3, 1, 6, 4, 5}, torch::kInt64);
  for (const std::string& name : on_the_head) {
    EXPECT_NEAR(value_of(name, batch.rows(order, {4, 3})), value_of(name, batch), 1e-12) << name;
  }
}

TEST(Objectives, TheOrderOfEnvironmentsDoesNotMatter) {
  const Batch batch = random_batch(TaskLoss::binary_cross_entropy, {4, 3, 2});
  const torch::Tensor order = torch::tensor({7, 8, 0, 1, 2, 3, 4, 5, 6}, torch::kInt64);
  for (const std::string& name : on_the_head) {
    EXPECT_NEAR(value_of(name, batch.rows(order, {2, 4, 3})), value_of(name, batch), 1e-12) << name;
  }
}

TEST(Objectives, EqualEnvironmentsAgree) {
  const Batch batch = random_batch(TaskLoss::cross_entropy, {5});
  const torch::Tensor twice = torch::tensor({0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, torch::kInt64);
  const Batch equal = batch.rows(twice, {5, 5});
  EXPECT_EQ(value_of("vrex", equal), 0.0);
  EXPECT_NEAR(value_of("coral", equal), 0.0, 1e-12);
  EXPECT_NEAR(value_of("mmd", equal), 0.0, 1e-12);
  EXPECT_NEAR(value_of("fishr", equal), 0.0, 1e-24);
  HeadView view = equal.view();
  const torch::Tensor weight = torch::ones({3, 3}, torch::kFloat64).requires_grad_();
  view = view_of(equal.features, equal.features.mm(weight), equal.labels, equal.sizes, equal.loss);
  view.parameters = {weight};
  Random random(1, "objective");
  EXPECT_NEAR(make_objective("iga")->value(view, random).item<double>(), 0.0, 1e-24);
}

TEST(Objectives, ThoseOfTheFeaturesAreTheOnesWithoutAGradientAtTheHead) {
  const Batch batch = random_batch(TaskLoss::binary_cross_entropy, {6, 5});
  for (const ObjectiveEntry& info : objectives()) {
    SCOPED_TRACE(info.name);
    const auto columns = batch.features.size(1);
    const torch::Tensor weight = torch::linspace(-1, 1, columns, torch::kFloat64).unsqueeze(1);
    weight.requires_grad_();
    const torch::Tensor features = batch.features.detach().requires_grad_();
    HeadView view = view_of(features, features.mm(weight), batch.labels, batch.sizes, batch.loss);
    view.parameters = {weight};
    Random random(1, "objective");
    const std::unique_ptr<Objective> objective = make_objective(info.name);
    const torch::Tensor value = objective->value(view, random);
    const torch::Tensor gradient =
        torch::autograd::grad({value}, {weight}, {}, true, false, /*allow_unused=*/true).front();
    EXPECT_EQ(objective->of_features(), !gradient.defined() || gradient.abs().max().item<double>() == 0.0);
    EXPECT_EQ(traits_of(info).of_features, objective->of_features());
  }
}

TEST(Objectives, WhatComparesEnvironmentsIsZeroOfOneAlone) {
  const Batch alone = random_batch(TaskLoss::binary_cross_entropy, {4});
  for (const ObjectiveEntry& info : objectives()) {
    if (!info.compares) {
      continue;
    }
    SCOPED_TRACE(info.name);
    const torch::Tensor weight = torch::ones({alone.features.size(1), 1}, torch::kFloat64).requires_grad_();
    const torch::Tensor features = alone.features.detach().requires_grad_();
    HeadView view = view_of(features, features.mm(weight), alone.labels, alone.sizes, alone.loss);
    view.parameters = {weight};
    Random random(1, "objective");
    const torch::Tensor value = make_objective(info.name)->value(view, random);
    EXPECT_EQ(value.item<double>(), 0.0);
    for (const torch::Tensor& gradient :
         torch::autograd::grad({value}, {weight, features}, {}, false, false, /*allow_unused=*/true)) {
      if (gradient.defined()) {
        EXPECT_EQ(gradient.abs().max().item<double>(), 0.0);
      }
    }
  }
}

TEST(Objectives, WorstRiskIsTheLargest) {
  const Batch batch = random_batch(TaskLoss::cross_entropy, {4, 3, 5});
  EXPECT_EQ(value_of("worst_risk", batch), batch.view().risks.max().item<double>());
}

TEST(Objectives, AreNeverNegative) {
  for (const std::string negative : {"scale", "shift"}) {
    const auto options = [&negative](std::string_view name) {
      return name == "irmv1" ? options_of(name, {{"irmv1_unbiased", "true"}, {"irmv1_negative", negative}})
                             : options_of(name);
    };
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const Batch batch = random_batch(TaskLoss::cross_entropy, {6, 4, 5}, seed);
      Random random(seed, "objective");
      for (const std::string& name : on_the_head) {
        EXPECT_GE(make_objective(name, options(name))->value(batch.view(), random).item<double>(), 0.0)
            << name;
      }
    }
  }
}

TEST(Objectives, SinglePrecisionAgreesWithDouble) {
  const Batch exact = random_batch(TaskLoss::binary_cross_entropy, {40, 30});
  const Batch rounded{exact.features.to(torch::kFloat32), exact.logits.to(torch::kFloat32), exact.labels,
                      exact.sizes, exact.loss};
  EXPECT_EQ(rounded.view().labels.scalar_type(), torch::kFloat32);
  for (const std::string& name : on_the_head) {
    const double expected = value_of(name, exact);
    EXPECT_NEAR(value_of(name, rounded), expected, 1e-5 * (1.0 + expected)) << name;
  }
}

TEST(Objectives, ADeviceGivesTheSameValues) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const TaskLoss loss : {TaskLoss::binary_cross_entropy, TaskLoss::cross_entropy}) {
    const Batch here = random_batch(loss, {600, 700});
    const Batch there{here.features.cuda(), here.logits.cuda(), here.labels.cuda(), here.sizes, loss};
    for (const std::string& name : on_the_head) {
      EXPECT_NEAR(value_of(name, there), value_of(name, here), 1e-10) << name;
    }
  }
}

// ---- memory

// Runs `before` steps, saves, and compares the next steps of the original with those of a restored copy.
void expect_resumes(const std::string& name) {
  const auto original = make_objective(name);
  Random random(1, "objective");
  EXPECT_TRUE(original->state().empty());
  const auto batch = [](std::uint64_t step) {
    return random_batch(TaskLoss::binary_cross_entropy, {4, 6}, step).view();
  };
  for (std::uint64_t step = 1; step <= 3; ++step) {
    static_cast<void>(original->value(batch(step), random));
  }
  const std::vector<torch::Tensor> saved = original->state();
  std::vector<double> expected;
  for (std::uint64_t step = 4; step <= 6; ++step) {
    expected.push_back(original->value(batch(step), random).item<double>());
  }
  const auto resumed = make_objective(name);
  static_cast<void>(resumed->value(batch(9), random));
  for (int again = 0; again < 2; ++again) {
    resumed->restore(saved);
    for (std::uint64_t step = 4; step <= 6; ++step) {
      EXPECT_EQ(resumed->value(batch(step), random).item<double>(), expected[step - 4]) << name;
    }
  }
  const auto fresh = make_objective(name);
  const double first = fresh->value(batch(4), random).item<double>();
  EXPECT_NE(first, expected[0]) << name << " should remember";
  fresh->restore({});
  EXPECT_EQ(fresh->value(batch(4), random).item<double>(), first);
}

TEST(Fishr, ResumesFromItsState) {
  expect_resumes("fishr");
}
TEST(GroupDro, ResumesFromItsState) {
  expect_resumes("group_dro");
}

TEST(Objectives, TheOthersRememberNothing) {
  const Batch batch = random_batch(TaskLoss::binary_cross_entropy, {4, 6});
  for (const std::string name : {"erm", "irmv1", "vrex", "ib", "clove", "sd", "coral", "mmd"}) {
    const auto objective = make_objective(name);
    Random random(1, "objective");
    const double first = objective->value(batch.view(), random).item<double>();
    EXPECT_EQ(objective->value(batch.view(), random).item<double>(), first) << name;
    EXPECT_TRUE(objective->state().empty()) << name;
    EXPECT_FALSE(objective->needs_network()) << name;
  }
}

TEST(Objectives, SayWhetherTheyHaveState) {
  for (const ObjectiveEntry& entry : objectives()) {
    const auto objective = make_objective(entry.name);
    if (objective->needs_network()) {
      continue;
    }
    Random random(1, "objective");
    static_cast<void>(objective->value(random_batch(TaskLoss::binary_cross_entropy, {4, 6}).view(), random));
    EXPECT_EQ(objective->has_state(), !objective->state().empty()) << entry.name;
  }
}

TEST(Fishr, WithoutAnAverageRemembersNothing) {
  const auto objective = make_objective("fishr", options_of("fishr", {{"fishr_ema", "0"}}));
  const Batch batch = random_batch(TaskLoss::binary_cross_entropy, {4, 6});
  Random random(1, "objective");
  const double first = objective->value(batch.view(), random).item<double>();
  EXPECT_EQ(objective->value(batch.view(), random).item<double>(), first);
  EXPECT_TRUE(objective->state().empty());
  EXPECT_FALSE(objective->has_state());
}

TEST(GroupDro, WeightsGrowWithTheRisks) {
  constexpr double rate = 0.3;
  const auto objective =
      make_objective("group_dro", options_of("group_dro", {{"groupdro_rate", base::shown(rate)}}));
  const HeadView view = random_batch(TaskLoss::squared_error, {4, 6, 3}).view();
  const auto risk = [&](std::int64_t e) { return view.risks[e].item<double>(); };
  Random random(1, "objective");
  std::vector<double> weights(3, 1.0 / 3);
  for (int step = 0; step < 4; ++step) {
    double total = 0.0;
    for (std::int64_t e = 0; e < 3; ++e) {
      weights[static_cast<std::size_t>(e)] *= std::exp(rate * risk(e));
      total += weights[static_cast<std::size_t>(e)];
    }
    double expected = 0.0;
    for (std::int64_t e = 0; e < 3; ++e) {
      weights[static_cast<std::size_t>(e)] /= total;
      expected += weights[static_cast<std::size_t>(e)] * risk(e);
    }
    EXPECT_NEAR(objective->value(view, random).item<double>(), expected, 1e-12);
    const torch::Tensor kept = objective->state().front().exp();
    for (std::int64_t e = 0; e < 3; ++e) {
      EXPECT_NEAR(kept[e].item<double>(), weights[static_cast<std::size_t>(e)], 1e-12);
    }
  }
}

// As WILDS' GroupDRO: groups that a batch does not have count with a loss of 0.
TEST(GroupDro, KeepsTheWeightsOfEnvironmentsThatAStepDoesNotTake) {
  constexpr double rate = 0.3;
  const auto objective =
      make_objective("group_dro", options_of("group_dro", {{"groupdro_rate", base::shown(rate)}}));
  Random random(1, "objective");
  std::vector<double> weights(5, 0.2);
  for (const std::vector<std::int64_t>& chosen : {std::vector<std::int64_t>{0, 3}, {2, 4}, {0, 1}, {3, 4}}) {
    HeadView view =
        random_batch(TaskLoss::squared_error, {4, 6}, 7 + static_cast<std::uint64_t>(chosen[1])).view();
    view.chosen = torch::tensor(chosen, torch::kLong);
    view.all_environments = 5;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      weights[static_cast<std::size_t>(chosen[i])] *=
          std::exp(rate * view.risks[static_cast<std::int64_t>(i)].item<double>());
    }
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double expected = 0.0;
    for (double& weight : weights) {
      weight /= total;
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      expected += weights[static_cast<std::size_t>(chosen[i])] *
                  view.risks[static_cast<std::int64_t>(i)].item<double>();
    }
    EXPECT_NEAR(objective->value(view, random).item<double>(), expected, 1e-12);
    const torch::Tensor kept = objective->state().front().exp();
    for (std::int64_t e = 0; e < 5; ++e) {
      EXPECT_NEAR(kept[e].item<double>(), weights[static_cast<std::size_t>(e)], 1e-12);
    }
  }
}

TEST(GroupDro, EndsAtTheWorstRiskHoweverLarge) {
  const auto objective = make_objective("group_dro", options_of("group_dro", {{"groupdro_rate", "10"}}));
  const torch::Tensor logits = torch::tensor({0.0, 1000.0}, torch::kFloat32).unsqueeze(1);
  const HeadView view = view_of(logits, logits, torch::zeros({2}), {1, 1}, TaskLoss::squared_error);
  Random random(1, "objective");
  EXPECT_EQ(objective->value(view, random).item<float>(), 1e6F);
}

TEST(Clove, DrawsItsMinibatchFromTheGivenGenerator) {
  const auto objective = make_objective("clove", options_of("clove", {{"clove_batch", "5"}}));
  const HeadView view = random_batch(TaskLoss::binary_cross_entropy, {40, 50}).view();
  const auto value = [&](std::uint64_t seed) {
    Random random(seed, "objective");
    return objective->value(view, random).item<double>();
  };
  EXPECT_EQ(value(1), value(1));
  EXPECT_NE(value(1), value(2));

  Random random(1, "objective");
  const std::string before = random.state();
  static_cast<void>(make_objective("clove")->value(view, random));
  EXPECT_EQ(random.state(), before) << "a batch of 512 holds each environment whole";
}

// ---- errors

TEST(Objectives, AreKnownByName) {
  for (const ObjectiveEntry& info : objectives()) {
    EXPECT_NE(make_objective(info.name), nullptr);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_THAT([] { make_objective("vrx"); }, ThrowsMessage<std::invalid_argument>(AllOf(
                                                 HasSubstr("unknown objective 'vrx'"),
                                                 HasSubstr("did you mean 'vrex'?"), HasSubstr("group_dro"))));
}

TEST(Objectives, OptionsOutOfRangeAreNamed) {
  const auto making = [](const char* name, const char* option, const char* text) {
    return [=] { (void)make_objective(name, options_of(name, {{option, text}})); };
  };
  EXPECT_THAT(making("irmv1", "irmv1_constant", "0"),
              refused("irmv1_constant: expected a number above 0 and up to 1e+300, got '0'"));
  EXPECT_THAT(making("fishr", "fishr_ema", "1"),
              refused("fishr_ema: expected a number from 0 to below 1, got '1'"));
  EXPECT_THAT(making("clove", "clove_batch", "1"),
              refused("clove_batch: expected an integer from 2 to 1000000000, got '1'"));
  EXPECT_THAT(making("clove", "clove_width", "-0.5"), refused("clove_width: expected a number above 0"));
  EXPECT_THAT(making("group_dro", "groupdro_rate", "nan"),
              refused("groupdro_rate: expected a number above 0"));
  EXPECT_THAT(making("fishr", "fishr_emma", "0.5"),
              refused("unknown option 'fishr_emma'; did you mean 'fishr_ema'?"));
}

TEST(Objectives, BatchesTheyAreNotDefinedOnAreRefused) {
  const Batch alone = random_batch(TaskLoss::squared_error, {4});
  EXPECT_THAT([&] { value_of("clove", alone); },
              refused("clove: expected the loss bce or ce (it measures calibration), got 'mse'"));
  const Batch thin = random_batch(TaskLoss::squared_error, {4, 1});
  EXPECT_THAT([&] { value_of("ib", thin); },
              refused("ib: expected at least 2 samples per environment; environment 1 of the batch has 1"));
  EXPECT_THAT([&] { value_of("coral", thin); },
              refused("coral: expected at least 2 samples per environment"));
  EXPECT_THAT([&] { value_of("iga", thin); },
              refused("iga: expected a batch with the network's parameters, got none"));

  Random random(1, "objective");
  const base::Options unbiased = options_of("irmv1", {{"irmv1_unbiased", "true"}});
  EXPECT_THAT([&] { make_objective("irmv1", unbiased)->value(thin.view(), random); },
              refused("irmv1 with irmv1_unbiased: expected at least 2 samples"));
}

TEST(Objectives, AStateOfOtherEnvironmentsIsRefused) {
  for (const std::string name : {"fishr", "group_dro"}) {
    const auto objective = make_objective(name);
    Random random(1, "objective");
    static_cast<void>(objective->value(random_batch(TaskLoss::squared_error, {4, 3}).view(), random));
    const HeadView other = random_batch(TaskLoss::squared_error, {4, 3, 2}).view();
    EXPECT_THAT([&] { objective->value(other, random); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(HasSubstr(name + ": expected a batch"), HasSubstr("same environments"))));
    const std::vector<torch::Tensor> two = {torch::zeros({2}), torch::zeros({2})};
    EXPECT_THAT([&] { objective->restore(two); }, refused(name + ": expected a state of one tensor, got 2"));
  }
}

TEST(HeadView, ShapesAreChecked) {
  const Batch good = random_batch(TaskLoss::binary_cross_entropy, {4, 3});
  const auto viewing = [&](const std::function<void(Batch&)>& change) {
    return [&good, change] {
      Batch batch = good;
      change(batch);
      static_cast<void>(batch.view());
    };
  };
  EXPECT_NO_THROW(viewing([](Batch&) {})());
  EXPECT_THAT(viewing([](Batch& b) { b.logits = b.logits.select(1, 0); }),
              refused("logits: expected shape [n, k], got [7]"));
  EXPECT_THAT(viewing([](Batch& b) { b.features = b.features.narrow(0, 0, 6); }),
              refused("features: expected shape [7, d], as there are 7 logits, got [6, 3]"));
  EXPECT_THAT(viewing([](Batch& b) { b.labels = b.labels.unsqueeze(1); }),
              refused("labels: expected shape [7], as there are 7 logits, got [7, 1]"));
  EXPECT_THAT(viewing([](Batch& b) {
                b.sizes = {4, 4};
              }),
              refused("sizes of environments: expected numbers of at least 1 that sum to 7, got [4, 4]"));
  EXPECT_THAT(viewing([](Batch& b) { b.sizes = {7, 0}; }), refused("numbers of at least 1"));
  EXPECT_THAT(viewing([](Batch& b) { b.sizes = {}; }), refused("numbers of at least 1"));
  EXPECT_THAT(viewing([](Batch& b) { b.logits = b.features; }),
              refused("logits: expected shape [n, 1] for the loss 'bce', got [7, 3]"));
  EXPECT_THAT(viewing([](Batch& b) { b.loss = TaskLoss::cross_entropy; }), refused("labels of classes"));
}

}  // namespace
}  // namespace pair::objectives::objectives_test
