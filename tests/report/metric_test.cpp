#include "pair/report/metric.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/select/fixtures.h"

namespace pair::report::metric_test {
namespace {

using ::testing::ElementsAre;

TEST(Metric, IsIdentifiedByItsKey) {
  EXPECT_EQ(metric_of("env0_in_acc").kind, Kind::accuracy);
  EXPECT_EQ(metric_of("worst_test_mse").kind, Kind::error);
  EXPECT_EQ(metric_of("losses.irmv1").kind, Kind::loss);
  EXPECT_EQ(metric_of("gen_loss").kind, Kind::loss);
  EXPECT_EQ(metric_of("held_out_losses.irmv1").kind, Kind::loss);
  EXPECT_EQ(metric_of("noise_floor.irmv1").kind, Kind::floor);
  EXPECT_EQ(metric_of("held_out_noise_floor.irmv1").kind, Kind::floor);
  EXPECT_EQ(metric_of("weights.erm").kind, Kind::weight);
  EXPECT_EQ(metric_of("conflict.vrex").kind, Kind::conflict);
  EXPECT_EQ(metric_of("restarts").kind, Kind::count);
  EXPECT_EQ(metric_of("something").kind, Kind::other);
}

// CONTRIBUTING.md's algorithm, for example, has a loss that is called risk.
TEST(Metric, IsALossIfTheAlgorithmDeclaresItAsOne) {
  const select::Declared declared{.losses = {{{"risk", "distance"}, {"nll"}}}};
  EXPECT_EQ(metric_of("risk").kind, Kind::other);
  EXPECT_EQ(metric_of("risk", declared).kind, Kind::loss);
  EXPECT_EQ(metric_of("size", declared).kind, Kind::other);
  EXPECT_EQ(metric_of("env0_in_acc", declared).kind, Kind::accuracy);

  // If runs of several algorithms are compared, one that declares it is enough.
  select::Run other = select::testing::make_run("a", {0}, 0, {{0, {0.9}, {0.9}}});
  other.add(1, std::vector<std::pair<std::string, double>>{{"risk", 0.5}});
  select::Run declaring = other;
  declaring.declared = declared;
  for (const select::History& history : {select::History{other, declaring}, {declaring, other}}) {
    const std::vector<Metric> metrics = metrics_of(history);
    const auto risk = std::ranges::find(metrics, "risk", &Metric::key);
    ASSERT_NE(risk, metrics.end());
    EXPECT_EQ(risk->better(), "low");
  }
}

TEST(Metric, HasALabelForPeople) {
  EXPECT_EQ(metric_of("env12_out_acc").label, "accuracy, environment 12 (held out)");
  EXPECT_EQ(metric_of("losses.irmv1").label, "loss of irmv1");
  EXPECT_EQ(metric_of("held_out_losses.irmv1").label, "held-out loss of irmv1");
  EXPECT_EQ(metric_of("noise_floor.irmv1").label, "noise floor of irmv1");
  EXPECT_EQ(metric_of("worst_test_acc").label, "worst-environment test accuracy");
}

TEST(Metric, NamesEnvironmentsAsTheRecordsDo) {
  select::Run run = select::testing::make_run("a", {1}, 0, {{0, {0.9, 0.8}, {0.7, 0.6}}});
  run.dataset = "cmnist";
  run.environments = {"beta 0.1", "beta 0.9"};
  const auto labels = [](const select::History& history) {
    std::vector<std::string> all;
    for (const Metric& metric : metrics_of(history)) {
      all.push_back(metric.label);
    }
    return all;
  };
  EXPECT_THAT(labels({run}),
              ElementsAre("accuracy, beta 0.1 (training)", "accuracy, beta 0.9 (test)",
                          "accuracy, beta 0.1 (training, held out)", "accuracy, beta 0.9 (test, held out)"));
  select::Run other = run;
  other.environments = {"beta 0.1", "beta 0.5"};
  EXPECT_THAT(labels({run, other}), ::testing::Contains("accuracy, environment 1"));

  // Where runs are tested in different environments, the label of all lacks the role.
  select::Run swapped = run;
  swapped.test_envs = {0};
  EXPECT_THAT(labels({run, swapped}),
              ElementsAre("accuracy, beta 0.1", "accuracy, beta 0.9", "accuracy, beta 0.1 (held out)",
                          "accuracy, beta 0.9 (held out)"));
  EXPECT_EQ(label_in(swapped, metrics_of({run, swapped}).front()), "accuracy, beta 0.1 (test)");
  EXPECT_EQ(label_in(other, metrics_of({run, other})[1]), "accuracy, beta 0.5 (test)");
  EXPECT_EQ(label_in(run, metric_of("losses.erm")), "loss of erm");
}

TEST(Metric, QuotesNamesOfEnvironmentsThatAreNumbers) {
  select::Run run = select::testing::make_run("a", {1}, 0, {{0, {0.9, 0.8, 0.7}, {}}});
  run.dataset = "table";
  run.environments = {"0", "2021"};
  std::vector<std::string> labels;
  for (const Metric& metric : metrics_of({run})) {
    labels.push_back(metric.label);
  }
  EXPECT_THAT(labels, ElementsAre("accuracy, environment 0 (training)", "accuracy, '2021' (test)",
                                  "accuracy, environment 2"));
}

TEST(Metric, IsBetterHighOrLowOrNeither) {
  EXPECT_EQ(metric_of("env0_in_acc").better(), "high");
  EXPECT_EQ(metric_of("losses.erm").better(), "low");
  EXPECT_EQ(metric_of("weights.erm").better(), "");
}

TEST(Metric, TheWorstAccuracyOfDomainBedsRunsIsThatOfTheirLargerSplit) {
  select::Run run = select::testing::make_run(
      "a", {0, 2}, 0, {{0, {0.9, 0.8, 0.7}, {0.1, 0.1, 0.1}}, {100, {0.5, 0.8, 0.6}, {0, 0, 0}}});
  add_worst_accuracy(run);
  ASSERT_NE(run.find("worst_test_acc"), nullptr);
  EXPECT_THAT(run.find("worst_test_acc")->values, ElementsAre(0.7, 0.5));
}

TEST(Metric, TheMostTellingComesFirstAndErmBeforeOtherLosses) {
  select::Run run;
  const std::vector<std::pair<std::string, double>> values{
      {"losses.b", 1}, {"losses.erm", 1},     {"nll", 1},   {"env10_in_acc", 0.5},     {"env2_in_acc", 1},
      {"penalty", 1},  {"worst_test_acc", 1}, {"epoch", 1}, {"held_out_losses.erm", 1}};
  run.add(0, values);
  std::vector<std::string> keys;
  for (const Metric& metric : metrics_of({run})) {
    keys.push_back(metric.key);
  }
  EXPECT_THAT(keys, ElementsAre("worst_test_acc", "env2_in_acc", "env10_in_acc", "losses.erm", "losses.b",
                                "held_out_losses.erm"));
}

}  // namespace
}  // namespace pair::report::metric_test
