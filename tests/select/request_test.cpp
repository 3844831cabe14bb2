#include "pair/select/request.h"

#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/select/criteria.h"
#include "pair/select/domainbed.h"
#include "pair/select/pair_within_run.h"
#include "tests/select/fixtures.h"

namespace pair::select::request_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_run;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

std::vector<std::pair<std::string, double>> losses(double nll, double penalty) {
  return {{"nll", nll}, {"penalty", penalty}};
}

// Two draws of IRM, tested in environment 2; the second has the smaller penalty.
History two_runs() {
  return {make_run("a", {2}, 0,
                   {{0, {0.6, 0.6, 0.1}, {0.6, 0.6, 0.2}, losses(0.7, 0.5)},
                    {100, {0.9, 0.9, 0.3}, {0.9, 0.9, 0.3}, losses(0.3, 0.4)}}),
          make_run("b", {2}, 1,
                   {{0, {0.6, 0.6, 0.1}, {0.6, 0.6, 0.2}, losses(0.7, 0.5)},
                    {100, {0.8, 0.8, 0.7}, {0.8, 0.8, 0.7}, losses(0.5, 0.01)}})};
}

std::string chosen_run(const Selection& selection) {
  return selection.decisions.at(0).chosen().run->name;
}

Selection the_one(const Request& request, const History& history) {
  const std::vector<Selection> all = choose(request, history);
  EXPECT_THAT(all, SizeIs(1));
  return all.at(0);
}

TEST(Request, ChoosesAsEachCriterionDoes) {
  const History history = two_runs();
  EXPECT_EQ(chosen_run(the_one({.criterion = "train-domain"}, history)), chosen_run(train_domain(history)));
  EXPECT_EQ(chosen_run(the_one({.criterion = "oracle"}, history)), chosen_run(oracle(history)));
  EXPECT_EQ(the_one({.criterion = "pair"}, history).title, pair_s(history, {}).title);
  EXPECT_EQ(the_one({.criterion = "pair-run"}, history).criterion, "pair-run");
  EXPECT_THAT(the_one({.criterion = "leave-one-out"}, history).decisions, IsEmpty());
}

TEST(Request, HasAllCriteriaButPairRunByDefault) {
  const History history = two_runs();
  std::vector<std::string> criteria;
  for (const Selection& selection : choose({}, history)) {
    criteria.push_back(selection.criterion);
  }
  EXPECT_THAT(criteria, ElementsAre("pair", "pair-test-domain", "train-domain", "leave-one-out", "oracle"));
  EXPECT_THAT(choose({.validation = "training"}, history), SizeIs(4)) << "one validation of PAIR-s";
}

TEST(Request, PassesTheOptionsOfPairSOn) {
  const History history = two_runs();
  // The bar at the best run leaves only it; at the worst, the smaller penalty wins.
  EXPECT_EQ(chosen_run(the_one({.criterion = "pair", .percentile = 1.0}, history)), "a");
  EXPECT_EQ(chosen_run(the_one({.criterion = "pair", .percentile = 0.0}, history)), "b");
  EXPECT_EQ(chosen_run(the_one({.criterion = "pair", .preference = {1, 1e-9}, .percentile = 0.0}, history)),
            "a");
  EXPECT_EQ(chosen_run(the_one({.criterion = "pair", .percentile = 0.0, .across = "validation"}, history)),
            "a");
  EXPECT_THAT(the_one({.criterion = "pair", .losses_from = "held-out"}, history).decisions, IsEmpty());
  EXPECT_THAT(the_one({.criterion = "pair", .validation = "leave-one-out"}, history).decisions, IsEmpty());
  const Selection first = the_one({.criterion = "pair-run", .validation = "training", .skip = 1}, history);
  EXPECT_EQ(first.decisions.at(0).chosen().record, 1U);
}

TEST(Request, UsesTrainingAccuracyWhereNothingIsHeldOut) {
  const History history{make_run("a", {2}, 0, {{0, {0.6, 0.6}, {}, losses(0.7, 0.5)}})};
  const Selection selection = the_one({.criterion = "pair"}, history);
  EXPECT_THAT(selection.notes, ::testing::Contains(HasSubstr("PAIR-s")));
}

TEST(Request, KeepsTheRunsThatAreNamed) {
  History history = two_runs();
  history[1].algorithm = "vrex";
  keep_requested({.datasets = {"ColoredMNIST"}, .algorithms = {"VREx"}}, history);
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].name, "b");
  keep_requested({}, history);
  EXPECT_THAT(history, SizeIs(1)) << "without names, all";
  EXPECT_THAT([&] { keep_requested({.datasets = {"ColouredMNIST"}}, history); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("unknown dataset 'ColouredMNIST'; did you mean 'ColoredMNIST'?")));
  EXPECT_THAT([&] { keep_requested({.algorithms = {"IRM"}}, history); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("unknown algorithm 'IRM'")));
}

TEST(Request, KeepsAllDataOfADatasetOrOneOfThem) {
  const auto kept = [](const std::string& name) {
    History history = two_runs();
    history[0].dataset = "table (mine.csv)";
    history[1].dataset = "table (other.csv)";
    history[0].dataset_in_records = history[1].dataset_in_records = "table";
    keep_requested({.datasets = {name}}, history);
    return history.size();
  };
  EXPECT_EQ(kept("table"), 2U);
  EXPECT_EQ(kept("table (mine.csv)"), 1U);
}

TEST(Request, LeavesOutRegressionsWithTheSameReasonByEachCriterion) {
  select::Run regression;
  regression.name = "a";
  regression.dataset = "table";
  regression.algorithm = "erm";
  regression.test_envs = {1};
  regression.add(0, std::vector<std::pair<std::string, double>>{
                        {"env0_in_mse", 0.5}, {"env0_out_mse", 0.5}, {"env1_in_mse", 0.5}});
  const std::string reason = "a was left out: its records are those of a regression";
  const auto expect_reason = [&](const Request& request) {
    const History history{regression};
    for (const Selection& selection : choose(request, history)) {
      EXPECT_THAT(selection.notes, ElementsAre(::testing::StartsWith(reason))) << selection.title;
    }
  };
  for (const std::vector<int>& test_envs : {std::vector{1}, std::vector{0, 1}}) {
    regression.test_envs = test_envs;
    expect_reason({});
    expect_reason({.criterion = "pair-run"});
    expect_reason({.criterion = "pair", .validation = "leave-one-out"});
  }

  History mixed = two_runs();
  mixed.push_back(regression);
  EXPECT_EQ(chosen_run(the_one({.criterion = "train-domain"}, mixed)), "a");
  EXPECT_THAT(the_one({.criterion = "train-domain"}, mixed).notes,
              ElementsAre(::testing::StartsWith(reason)));
}

TEST(Request, SaysWhatItExpects) {
  const std::vector<std::pair<Request, std::string>> cases{
      {{.criterion = "oracel"},
       "criterion: expected pair, pair-run, train-domain, leave-one-out, oracle or all, got 'oracel'; did "
       "you "
       "mean 'oracle'?"},
      {{.validation = "test"},
       "validation: expected train-domain, test-domain, leave-one-out or training, got 'test'; did you mean "
       "'test-domain'?"},
      {{.criterion = "pair-run", .validation = "test-domain"},
       "validation: expected train-domain or training with the criterion pair-run, got 'test-domain'"},
      {{.losses_from = "test"}, "losses_from: expected train or held-out, got 'test'"},
      {{.rule = "paper2"}, "rule: expected paper or release, got 'paper2'; did you mean 'paper'?"},
      {{.across = ""}, "across: expected paper, score or validation, got ''"},
      {{.skip = -1}, "skip: expected an integer of at least 0, got -1"},
      {{.last = 0}, "last: expected an integer of at least 1, got 0"},
      {{.percentile = 1.5}, "percentile: expected a number from 0 to 1, got 1.5"},
      {{.percentile = std::numeric_limits<double>::quiet_NaN()},
       "percentile: expected a number from 0 to 1, got nan"},
  };
  for (const auto& [request, sentence] : cases) {
    EXPECT_THAT([&request = request] { check(request); }, ThrowsMessage<std::invalid_argument>(sentence));
    EXPECT_THAT([&request = request] { (void)choose(request, two_runs()); },
                ThrowsMessage<std::invalid_argument>(sentence));
  }
  const auto with_losses = [](const std::vector<std::string>& names) {
    return [names] {
      const History history = two_runs();
      (void)choose({.criterion = "pair", .losses = names}, history);
    };
  };
  EXPECT_THAT(with_losses({"nll", "nll"}),
              ThrowsMessage<std::invalid_argument>("losses: expected each loss once, got 'nll' twice"));
  EXPECT_THAT(with_losses({"env0_in_acc"}),
              ThrowsMessage<std::invalid_argument>(
                  "losses: expected losses, got 'env0_in_acc', which is an accuracy"));
  EXPECT_THAT(with_losses({"penalti"}), ThrowsMessage<std::invalid_argument>(
                                            HasSubstr("unknown loss 'penalti'; did you mean 'penalty'?")));
}

}  // namespace
}  // namespace pair::select::request_test
