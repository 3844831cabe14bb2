#include "pair/select/pair_s.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "tests/select/fixtures.h"

namespace pair::select::pair_s_test {
namespace {

using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_run;
using ::testing::SizeIs;

// A step with these losses, validation accuracy in the training domains 1 and 2, and test accuracy.
testing::Logged logged(std::int64_t step, double nll, double penalty, double validation = 0.5,
                       double test = 0.5) {
  return {step,
          {test, 0.9, 0.9},
          {0.0, validation, validation},
          {{"loss", nll + penalty}, {"nll", nll}, {"penalty", penalty}}};
}

PairOptions plain(std::vector<double> preference = {1.0, 1.0}) {
  PairOptions options;
  options.preference = std::move(preference);
  options.skip = 0;
  return options;
}

const Candidate& only_choice(const Selection& selection) {
  EXPECT_THAT(selection.decisions, SizeIs(1));
  return selection.decisions.at(0).chosen();
}

TEST(PairS, ScoresByMinusThePreferredLosses) {
  const History history{make_run("a", {0}, 0, {logged(0, 0.4, 0.2)})};
  const Selection selection = pair_s(history, plain({1, 3}));
  const Candidate& chosen = only_choice(selection);
  EXPECT_THAT(selection.decisions[0].preference, ElementsAre(0.25, 0.75));
  EXPECT_DOUBLE_EQ(chosen.score, -(0.25 * 0.4 + 0.75 * 0.2));
  EXPECT_THAT(chosen.losses, ElementsAre(0.4, 0.2));
}

TEST(PairS, TakesTheLeastLossesWithinARun) {
  const History history{
      make_run("a", {0}, 0, {logged(0, 0.4, 0.3), logged(100, 0.4, 0.1), logged(200, 0.4, 0.2)})};
  EXPECT_EQ(only_choice(pair_s(history, plain())).record, 1U);
}

// Training losses fall while held-out ones rise.
Run memorising_run(const std::string& name) {
  std::vector<testing::Logged> records;
  for (int step = 0; step < 4; ++step) {
    testing::Logged record = logged(std::int64_t{100} * step, 0.4 - 0.1 * step, 0.2 - 0.05 * step);
    record.others.insert(record.others.end(), {{"losses.erm", 0.4 - 0.1 * step},
                                               {"losses.irmv1", 0.2 - 0.05 * step},
                                               {"held_out_losses.erm", 0.4},
                                               {"held_out_losses.irmv1", 0.2 + 0.05 * step}});
    records.push_back(record);
  }
  Run run = make_run(name, {0}, 0, records);
  run.declared.losses = {{{"erm", "irmv1"}}};
  return run;
}

TEST(PairS, ReadsTrainingLossesUnlessHeldOutOnesAreWanted) {
  const History history{memorising_run("a")};
  PairOptions options = plain();
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 3U);
  options.losses_from = LossesFrom::held_out;
  const Selection held_out = pair_s(history, options);
  EXPECT_EQ(only_choice(held_out).record, 0U);
  EXPECT_THAT(only_choice(held_out).losses, ElementsAre(0.4, 0.2));
  EXPECT_EQ(held_out.title, "PAIR-s, training-domain validation set, held-out losses");
  EXPECT_EQ(held_out.criterion, "pair");
  // nll is erm's loss.
  options.losses = {"nll", "irmv1"};
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 0U);
}

TEST(PairS, LeavesOutRunsWithoutHeldOutLosses) {
  const History history{memorising_run("a"), make_run("b", {0}, 1, {logged(0, 0.01, 0.01)})};
  PairOptions options = plain();
  options.losses_from = LossesFrom::held_out;
  const Selection selection = pair_s(history, options);
  EXPECT_EQ(only_choice(selection).run->name, "a");
  ASSERT_THAT(selection.notes, SizeIs(1));
  EXPECT_THAT(selection.notes[0],
              AllOf(HasSubstr("b"), HasSubstr("on held-out samples: it has none"), HasSubstr("holdout")));
}

TEST(PairS, NamesTheHeldOutLossesThatARunHas) {
  PairOptions options = plain();
  options.losses_from = LossesFrom::held_out;
  options.losses = {"erm", "group_dro"};
  const Selection selection = pair_s({memorising_run("a")}, options);
  EXPECT_THAT(selection.notes, ElementsAre(HasSubstr("on held-out samples: it has them for erm, irmv1")));
}

TEST(PairS, FollowsThePreference) {
  const History history{make_run("a", {0}, 0, {logged(0, 0.1, 0.5), logged(100, 0.5, 0.1)})};
  EXPECT_EQ(only_choice(pair_s(history, plain({1e10, 1}))).record, 0U);
  EXPECT_EQ(only_choice(pair_s(history, plain({1, 1e10}))).record, 1U);
}

TEST(PairS, SkipsTheFirstSteps) {
  const History history{
      make_run("a", {0}, 0, {logged(0, 0, 0), logged(100, 0.4, 0.1), logged(200, 0.4, 0.2)})};
  PairOptions options = plain();
  options.skip = 1;
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 1U);
  options.skip = {};
  options.last = 1;
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 2U);
}

TEST(PairS, SaysWhereNoStepIsLeft) {
  const History history{make_run("a", {0}, 0, {logged(0, 0, 0)})};
  PairOptions options = plain();
  options.skip = 3;
  const Selection selection = pair_s(history, options);
  EXPECT_THAT(selection.decisions, IsEmpty());
  EXPECT_THAT(selection.notes,
              ElementsAre(HasSubstr("PAIR-s skips 3 logged steps, and the run has no more")));
}

TEST(PairS, OrdersByStepAndTakesARepeatedStepOnce) {
  // Restarted: step 100 occurs twice, and the first try was better.
  const History history{
      make_run("a", {0}, 0, {logged(100, 0, 0), logged(0, 0.1, 0.1), logged(100, 0.4, 0.4)})};
  PairOptions options = plain();
  options.skip = 1;
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 2U);
}

// Accuracies 0.5, 0.6 and 0.9: the bar at half the way is 0.7.
History three_runs() {
  return {make_run("a", {0}, 0, {logged(0, 0.1, 0.1, 0.5)}),
          make_run("b", {0}, 1, {logged(0, 0.2, 0.2, 0.6)}),
          make_run("c", {0}, 2, {logged(0, 0.3, 0.3, 0.9)})};
}

TEST(PairS, LeavesOutRunsBelowTheBar) {
  const History history = three_runs();
  PairOptions options = plain();
  const Selection half = pair_s(history, options);
  EXPECT_EQ(only_choice(half).run->name, "c");
  EXPECT_DOUBLE_EQ(half.decisions[0].bar, 0.7);
  options.percentile = 0.25;  // exactly 0.6
  EXPECT_EQ(only_choice(pair_s(history, options)).run->name, "b");
  options.percentile = 0.0;
  EXPECT_EQ(only_choice(pair_s(history, options)).run->name, "a");
  options.percentile = 1.0;
  EXPECT_EQ(only_choice(pair_s(history, options)).run->name, "c");
}

TEST(PairS, RanksTheRestAsTheyWouldFollow) {
  const History history = three_runs();
  PairOptions options = plain();
  options.percentile = 0.2;
  const Selection selection = pair_s(history, options);
  std::vector<std::string> names;
  for (const Candidate& candidate : selection.decisions.at(0).candidates) {
    names.push_back(candidate.run->name);
  }
  EXPECT_THAT(names, ElementsAre("b", "c", "a"));
}

TEST(PairS, GoesByTheTestDomainsAccuracyAlone) {
  // Environment 0 is the test domain.
  History history = three_runs();
  PairOptions options = plain();
  options.validation = Validation::test_domain;
  for (Column& column : history[1].columns) {
    if (column.key == "env0_out_acc") {
      column.values[0] = 0.99;
    }
  }
  const Selection selection = pair_s(history, options);
  EXPECT_EQ(only_choice(selection).run->name, "b");
  EXPECT_TRUE(selection.decisions[0].by_validation);
  options.across = Across::score;
  options.percentile = 0.0;
  EXPECT_EQ(only_choice(pair_s(history, options)).run->name, "a");
}

TEST(PairS, GoesByValidationAccuracyForNoisyLosses) {
  History history = three_runs();
  for (select::Run& run : history) {
    run.algorithm = "GroupDRO";
  }
  PairOptions options = plain();
  options.percentile = 0.0;
  EXPECT_EQ(only_choice(pair_s(history, options)).run->name, "c");
  options.across = Across::score;
  EXPECT_EQ(only_choice(pair_s(history, options)).run->name, "a");
}

TEST(PairS, KeepsThePapersLastSteps) {
  std::vector<testing::Logged> records;
  for (int i = 0; i < 20; ++i) {
    records.push_back(logged(std::int64_t{100} * i, 0.1 + 0.01 * i, 0.1));
  }
  History history{make_run("a", {0}, 0, records)};
  PairOptions options;
  options.preference = {1, 1};
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 15U);
  history[0].dataset = "PACS";
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 10U);
}

// Heuristic ii of Appendix D.3.
TEST(PairS, EstimatesThePreferenceFromTheHistory) {
  const History history{make_run("a", {0}, 0, {logged(0, 9, 9), logged(100, 0.4, 0.02)}),
                        make_run("b", {0}, 1, {logged(0, 9, 9), logged(100, 0.5, 0.01)}),
                        make_run("c", {1}, 0, {logged(0, 9, 9), logged(100, 0.6, 0.03)})};
  PairOptions options;
  options.last = 1;
  const Selection selection = pair_s(history, options);
  ASSERT_THAT(selection.decisions, SizeIs(2));
  for (const Decision& decision : selection.decisions) {
    EXPECT_NEAR(decision.preference[1] / decision.preference[0], 100 * 0.5 / 0.02, 1e-9);
    EXPECT_NEAR(decision.preference[0] + decision.preference[1], 1.0, 1e-12);
  }
}

TEST(PairS, EstimatesAPreferenceWhereAPenaltyIsZero) {
  const History history{make_run("a", {0}, 0, {logged(0, 0.4, 0.0)})};
  const Selection selection = pair_s(history, {});
  EXPECT_TRUE(std::isfinite(only_choice(selection).score));
}

TEST(PairS, TakesTheMagnitudeOfANegativeEstimate) {
  const History history{make_run("a", {0}, 0, {logged(0, 0.4, -5.0), logged(100, 0.4, 0.1)})};
  EXPECT_EQ(only_choice(pair_s(history, plain())).record, 1U);
}

TEST(PairS, TakesTheSignWhereAskedTo) {
  const History history{make_run("a", {0}, 0, {logged(0, 0.4, -5.0), logged(100, 0.4, 0.1)})};
  PairOptions options = plain();
  options.with_sign = true;
  const Candidate chosen = only_choice(pair_s(history, options));
  EXPECT_EQ(chosen.record, 0U);
  EXPECT_THAT(chosen.losses, ElementsAre(0.4, -5.0));
  EXPECT_DOUBLE_EQ(chosen.score, 2.3);
}

TEST(PairS, LeavesOutStepsWhoseLossesAreNotFinite) {
  const double nan = std::nan("");
  const History history{make_run("a", {0}, 0, {logged(0, nan, 0.0), logged(100, 0.4, 0.1)}),
                        make_run("b", {0}, 1, {logged(0, nan, 0.0)})};
  const Selection selection = pair_s(history, plain());
  EXPECT_EQ(only_choice(selection).record, 1U);
  EXPECT_THAT(selection.notes, ElementsAre(HasSubstr("b was left out: none of the steps")));
}

TEST(PairS, ReadsTheLossesThatAreNamed) {
  select::Run run = make_run("a", {0}, 0, {logged(0, 0.4, 0.1), logged(100, 0.1, 0.4)});
  run.algorithm = "ERM";
  const History history{run};
  EXPECT_THAT(pair_s(history, plain()).notes,
              ElementsAre(HasSubstr("PAIR-s does not apply to ERM (one loss, nothing to trade off)")));
  PairOptions options = plain({1});
  options.losses = {"nll"};
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 1U);
  options.losses = {"penalty"};
  EXPECT_EQ(only_choice(pair_s(history, options)).record, 0U);
}

// Two training environments without a split, three test environments.
TEST(PairS, ReadsRunsThatHoldNothingOut) {
  select::Run run = make_run("ours", {2, 3, 4}, 0, {});
  run.dataset = "cmnist";
  run.algorithm = "pair";
  run.add(50, std::vector<std::pair<std::string, double>>{{"losses.erm", 0.5},
                                                          {"losses.irmv1", 0.1},
                                                          {"env0_in_acc", 0.8},
                                                          {"env1_in_acc", 0.6},
                                                          {"env2_out_acc", 0.3},
                                                          {"env3_out_acc", 0.4},
                                                          {"env4_out_acc", 0.5}});
  const History history{run};
  PairOptions options = plain();
  EXPECT_THAT(pair_s(history, options).notes,
              ElementsAre(HasSubstr("needs env{i}_out_acc of the training domains")));
  options.validation = Validation::training;
  const Selection selection = pair_s(history, options);
  EXPECT_THAT(only_choice(selection).tests, ElementsAre(0.3, 0.4, 0.5));
  EXPECT_THAT(only_choice(selection).validation, DoubleEq(0.7));
}

TEST(PairS, LeavesPairsOfTestEnvironmentsAside) {
  const History history{make_run("a", {0, 1}, 0, {logged(0, 0.1, 0.1)})};
  const Selection selection = pair_s(history, plain());
  EXPECT_THAT(selection.decisions, IsEmpty());
  EXPECT_THAT(selection.notes, ElementsAre(HasSubstr("PAIR-s needs runs with one test environment")));
}

TEST(PairS, RefusesOptionsThatCannotBeUsed) {
  const History history = three_runs();
  const auto refused = [&history](auto change) {
    PairOptions options = plain();
    change(options);
    try {
      pair_s(history, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused([](PairOptions& options) {
                options.preference = {1, -1};
              }),
              HasSubstr("preference: expected finite numbers above 0, got -1"));
  EXPECT_THAT(refused([](PairOptions& options) {
                options.preference = {1, 1, 1};
              }),
              HasSubstr("the preference has 3 numbers, but IRM has 2 losses: nll, penalty"));
  EXPECT_THAT(refused([](PairOptions& options) { options.percentile = 1.5; }), HasSubstr("1.5"));
  EXPECT_THAT(refused([](PairOptions& options) { options.last = 5; }), HasSubstr("got both"));
  EXPECT_THAT(refused([](PairOptions& options) {
                options.skip = {};
                options.last = 0;
              }),
              HasSubstr("last steps to keep: expected at least 1, got 0"));
}

}  // namespace
}  // namespace pair::select::pair_s_test
