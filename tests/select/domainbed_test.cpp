#include "pair/select/domainbed.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "pair/select/criteria.h"
#include "tests/select/fixtures.h"

namespace pair::select::domainbed_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_run;
using ::testing::SizeIs;

TEST(TrainDomain, TakesTheStepWithTheBestMeanOverTheOtherDomains) {
  // The test domain's own held-out accuracy, 0.99 at step 0, must not count.
  const History history{make_run("a", {2}, 0,
                                 {{0, {0.9, 0.9, 0.11}, {0.5, 0.5, 0.99}},
                                  {100, {0.9, 0.9, 0.12}, {0.6, 0.8, 0.01}},
                                  {200, {0.9, 0.9, 0.13}, {0.9, 0.4, 0.01}}})};
  const Selection selection = train_domain(history);
  ASSERT_THAT(selection.decisions, SizeIs(1));
  const Candidate& chosen = selection.decisions[0].chosen();
  EXPECT_EQ(chosen.record, 1U);
  EXPECT_DOUBLE_EQ(chosen.validation, 0.7);
  EXPECT_THAT(chosen.tests, ElementsAre(0.12));
}

TEST(TrainDomain, TakesTheEarlierStepAndTheLargerSeedOfEquals) {
  const std::vector<testing::Logged> records{{0, {0.1, 0.5, 0.5}, {0.5, 0.5, 0.5}},
                                             {100, {0.2, 0.5, 0.5}, {0.5, 0.5, 0.5}}};
  const History history{make_run("a", {0}, 7, records), make_run("b", {0}, 3, records)};
  const Candidate chosen = train_domain(history).decisions.at(0).chosen();
  EXPECT_EQ(chosen.run->hparams_seed, 7);
  EXPECT_EQ(chosen.record, 0U);
}

TEST(TrainDomain, LeavesPairsOfTestEnvironmentsAside) {
  const History history{make_run("pair", {0, 1}, 0, {{0, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}}})};
  const Selection selection = train_domain(history);
  EXPECT_THAT(selection.decisions, IsEmpty());
  EXPECT_THAT(selection.notes, ElementsAre(HasSubstr("no run has exactly one test environment")));
}

TEST(TrainDomain, SaysWhichKeysARunLacks) {
  const History history{make_run("ours", {2}, 0, {{0, {0.5, 0.5}, {}}})};
  EXPECT_THAT(train_domain(history).notes,
              ElementsAre(HasSubstr("ours was left out: training-domain validation needs env{i}_out_acc")));
}

TEST(Oracle, TakesEachRunsLastRecord) {
  // A better accuracy before the end does not help; records may be in any order.
  const History history{
      make_run("a", {0}, 0, {{100, {0.3, 0, 0}, {0.6, 0, 0}}, {0, {0.9, 0, 0}, {0.9, 0, 0}}}),
      make_run("b", {0}, 1, {{0, {0.9, 0, 0}, {0.9, 0, 0}}, {100, {0.2, 0, 0}, {0.5, 0, 0}}})};
  const Candidate chosen = oracle(history).decisions.at(0).chosen();
  EXPECT_EQ(chosen.run->name, "a");
  EXPECT_EQ(chosen.record, 0U);
  EXPECT_DOUBLE_EQ(chosen.validation, 0.6);
  EXPECT_THAT(chosen.tests, ElementsAre(0.3));
}

// Test environment 0; the runs that leave out 1 and 2 as well say how good step 100 is.
History leave_one_out_history() {
  const std::vector<testing::Logged> alone{{0, {0.1, 0.9, 0.9}, {0.5, 0.5, 0.5}},
                                           {100, {0.2, 0.9, 0.9}, {0.5, 0.5, 0.5}}};
  return {
      make_run("alone", {0}, 0, alone),
      make_run("with 1", {0, 1}, 0, {{0, {0, 0.5, 0}, {0.5, 0.5, 0.5}}, {100, {0, 0.7, 0}, {0.5, 0.5, 0.5}}}),
      make_run("with 2", {2, 0}, 0,
               {{0, {0, 0, 0.5}, {0.5, 0.5, 0.5}}, {100, {0, 0, 0.6}, {0.5, 0.5, 0.5}}})};
}

// Ours on ColoredMNIST: environments 0 and 1 train, 2 and 3 are tested whole. hold: what 0 and 1 hold out, or
// none.
Run whole_run(std::string name, std::int64_t hparams_seed, double training, double test, bool hold = false) {
  Run run = testing::make_run(std::move(name), {2, 3}, hparams_seed, {});
  run.dataset = "cmnist";
  for (int step = 1; step <= 2; ++step) {
    std::vector<std::pair<std::string, double>> values{{"env0_in_acc", training},
                                                       {"env1_in_acc", training},
                                                       {"env2_out_acc", test + 0.1 * (step - 1)},
                                                       {"env3_out_acc", test}};
    if (hold) {
      values.insert(values.end(), {{"env0_out_acc", 1 - training}, {"env1_out_acc", 1 - training}});
    }
    run.add(step, values);
  }
  return run;
}

TEST(TrainDomain, FallsBackToTrainingAccuracyWhereNothingIsHeldOut) {
  const History history{whole_run("a", 0, 0.6, 0.5), whole_run("b", 1, 0.8, 0.3)};
  EXPECT_TRUE(train_domain(history).decisions.empty());
  const Selection selection = train_domain_or_training(history);
  EXPECT_EQ(selection.criterion, "training");
  ASSERT_EQ(selection.decisions.size(), 1U);
  EXPECT_THAT(selection.decisions[0].test_envs, ElementsAre(2, 3));
  EXPECT_EQ(selection.decisions[0].chosen().run->name, "b");
  EXPECT_THAT(selection.decisions[0].chosen().tests, ElementsAre(0.3, 0.3));
  EXPECT_THAT(selection.notes, ElementsAre(HasSubstr("using training accuracy instead")));
}

TEST(TrainDomain, TakesRunsWithSeveralWholeTestEnvironments) {
  const History history{whole_run("a", 0, 0.6, 0.5, true), whole_run("b", 1, 0.8, 0.3, true)};
  const Selection selection = train_domain_or_training(history);
  EXPECT_EQ(selection.criterion, "train-domain");
  ASSERT_EQ(selection.decisions.size(), 1U);
  EXPECT_EQ(selection.decisions[0].chosen().run->name, "a");
  EXPECT_TRUE(selection.notes.empty());
}

TEST(Oracle, TakesTheBestMeanOfSeveralWholeTestEnvironmentsAtTheEnd) {
  const History history{whole_run("a", 0, 0.6, 0.5), whole_run("b", 1, 0.8, 0.3)};
  const Selection selection = oracle(history);
  ASSERT_EQ(selection.decisions.size(), 1U);
  const Candidate& chosen = selection.decisions[0].chosen();
  EXPECT_EQ(chosen.run->name, "a");
  EXPECT_EQ(chosen.record, 1U);
  EXPECT_DOUBLE_EQ(chosen.validation, 0.55);
  EXPECT_THAT(selection.notes, ElementsAre(HasSubstr("on the data that the model was chosen by")));
}

TEST(LeaveOneOut, AveragesTheRunsThatLeaveOutAnotherDomain) {
  const History history = leave_one_out_history();
  const Selection selection = leave_one_out(history);
  ASSERT_THAT(selection.decisions, SizeIs(1));
  const Candidate& chosen = selection.decisions[0].chosen();
  EXPECT_EQ(chosen.run->name, "alone");
  EXPECT_EQ(chosen.record, 1U);
  EXPECT_DOUBLE_EQ(chosen.validation, 0.65);
  EXPECT_THAT(chosen.tests, ElementsAre(0.2));
}

TEST(LeaveOneOut, NeedsARunForEveryTrainingDomain) {
  History history = leave_one_out_history();
  history.pop_back();
  const Selection selection = leave_one_out(history);
  EXPECT_THAT(selection.decisions, IsEmpty());
  EXPECT_THAT(selection.notes, ElementsAre(HasSubstr("alone was left out: leave-one-domain-out needs")));
}

TEST(LeaveOneOut, DoesNotMixDrawsOfHyperparameters) {
  History history = leave_one_out_history();
  history.back().hparams_seed = 1;
  EXPECT_THAT(leave_one_out(history).decisions, IsEmpty());
}

TEST(DomainBed, DoesNotDependOnTheOrderOfRuns) {
  History history = leave_one_out_history();
  for (int seed = 1; seed < 4; ++seed) {
    for (select::Run run : leave_one_out_history()) {
      run.name += std::to_string(seed);
      run.hparams_seed = seed;
      history.push_back(std::move(run));
    }
  }
  for (const auto criterion : {train_domain, leave_one_out, oracle}) {
    const Selection expected = criterion(history);
    History reversed(history.rbegin(), history.rend());
    const Selection selection = criterion(reversed);
    ASSERT_EQ(selection.decisions.size(), expected.decisions.size());
    for (std::size_t i = 0; i < expected.decisions.size(); ++i) {
      EXPECT_EQ(selection.decisions[i].chosen().run->name, expected.decisions[i].chosen().run->name);
      EXPECT_EQ(selection.decisions[i].chosen().record, expected.decisions[i].chosen().record);
    }
  }
}

TEST(DomainBed, HasNothingToSayAboutNoRuns) {
  for (const auto criterion : {train_domain, leave_one_out, oracle}) {
    EXPECT_THAT(criterion({}).decisions, IsEmpty());
    EXPECT_THAT(criterion({}).notes, IsEmpty());
  }
}

}  // namespace
}  // namespace pair::select::domainbed_test
