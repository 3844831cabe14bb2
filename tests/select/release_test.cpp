#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "pair/select/pair_s.h"
#include "pair/select/pair_within_run.h"
#include "tests/select/fixtures.h"

// Choices on made-up inputs, compared with those of the paper's release. golden/release/make.py ran the
// release's own code, pair_selection and the three PAIR...SelectionMethod for DomainBed, to make them.

namespace pair::select::release_test {
namespace {

using nlohmann::json;
using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_run;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

json stored(const char* name) {
  return json::parse(std::ifstream(std::filesystem::path(PAIR_TEST_DATA) / "golden" / "release" / name));
}

TEST(PairWithinRun, ChoosesWhatTheReleaseChooses) {
  std::size_t cases = 0;
  for (const json& one : stored("within_run.json")) {
    const auto losses = one.at("losses").get<std::vector<std::vector<double>>>();
    const auto validation = one.at("validation").get<std::vector<double>>();
    const auto anneal = one.at("anneal").get<std::size_t>();
    const WithinRun chosen =
        choose_within_run(std::span(losses).subspan(anneal), std::span(validation).subspan(anneal));
    EXPECT_EQ(chosen.record + anneal, one.at("chosen").get<std::size_t>()) << "case " << cases;
    EXPECT_EQ(validation.at(chosen.record + anneal), one.at("accuracy").get<double>());
    ++cases;
  }
  EXPECT_EQ(cases, 11U);
}

TEST(PairWithinRun, HasThePreferencesOfTheRelease) {
  const auto preference = [](const std::vector<double>& losses) {
    return choose_within_run(std::vector<std::vector<double>>{losses}, std::vector{0.5}).preference;
  };
  // log10(0.003) - 2 = -4.52.
  EXPECT_THAT(preference({0.5, 0.003}), ElementsAre(DoubleEq(1e-4), 1.0));
  EXPECT_THAT(preference({0.5, 1e-20}), ElementsAre(DoubleEq(1e-12), 1.0));
  EXPECT_THAT(preference({0.5, -1.0}), ElementsAre(DoubleEq(1e-12), 1.0));
  EXPECT_THAT(preference({1, 1, 1}), ElementsAre(1e-12, DoubleEq(1e-2), 1.0));
  EXPECT_THAT(preference({1, 1, 1, 1}), ElementsAre(1e-12, DoubleEq(1e-4), DoubleEq(1e-2), 1.0));
  EXPECT_THAT(preference({1, 1, 1, 1, 1}),
              ElementsAre(1e-12, DoubleEq(1e-6), DoubleEq(1e-4), DoubleEq(1e-2), 1.0));
}

TEST(PairWithinRun, RefusesLossesThatDoNotFit) {
  EXPECT_THAT([] { (void)choose_within_run({}, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("at least one")));
  const std::vector<std::vector<double>> losses = {{1, 2}, {1, 2, 3}};
  EXPECT_THAT(
      [&] {
        (void)choose_within_run(losses, std::vector{0.5, 0.5});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("one number per loss (3), got 2")));
}

// One of our runs, on two training environments and one test environment that is not split.
Run ours(std::string name, std::int64_t hparams_seed,
         const std::vector<std::tuple<int, double, double>>& steps) {
  std::vector<testing::Logged> logged;
  for (const auto& [step, vrex, test] : steps) {
    logged.push_back(
        {step,
         {0.6, 0.6},
         {},
         {{"losses.erm", 0.5}, {"losses.vrex", vrex}, {"losses.irmv1", 1.0 - vrex}, {"env2_out_acc", test}}});
  }
  Run run = make_run(std::move(name), {2}, hparams_seed, logged);
  run.dataset = "cmnist";
  run.algorithm = "pair";
  run.hparams = {
      {"objectives", R"(["erm","vrex","irmv1"])"}, {"preference", "[1.0,1e12,1e10]"}, {"pretrain", "150"}};
  return run;
}

TEST(PairWithinRun, LeavesOutTheStepsOfAnnealingAndOrdersLossesByPreference) {
  const History history = {ours("a", 0, {{150, 0.1, 0.9}, {151, 0.4, 0.2}, {155, 0.3, 0.7}})};
  const Selection selection = pair_within_run(history, {});
  ASSERT_THAT(selection.decisions, SizeIs(1));
  const Decision& decision = selection.decisions.front();
  // V-REx's preference is the largest, so it is the last loss, and it is the smallest at step 155.
  EXPECT_THAT(decision.losses, ElementsAre("erm", "irmv1", "vrex"));
  EXPECT_EQ(decision.chosen().record, 2U);
  EXPECT_THAT(decision.chosen().tests, ElementsAre(0.7));
  WithinRunOptions all;
  all.skip = 0;
  EXPECT_EQ(pair_within_run(history, all).decisions.front().chosen().record, 0U);
}

TEST(PairWithinRun, ChoosesAmongRunsByTheTestDomain) {
  const History history = {ours("a", 0, {{151, 0.1, 0.5}}), ours("b", 1, {{151, 0.2, 0.6}})};
  const Selection selection = pair_within_run(history, {});
  ASSERT_THAT(selection.decisions, SizeIs(1));
  EXPECT_EQ(selection.decisions.front().chosen().run->name, "b");
  EXPECT_TRUE(selection.decisions.front().by_test);
}

TEST(PairWithinRun, SaysWhatARunLacks) {
  const Selection selection = pair_within_run({ours("a", 0, {{100, 0.1, 0.5}})}, {});
  EXPECT_THAT(selection.decisions, IsEmpty());
  ASSERT_THAT(selection.notes, SizeIs(1));
  EXPECT_THAT(selection.notes.front(), HasSubstr("needs records after annealing"));
}

// The runs that make.py wrote, as records.
History sweep_of(const json& records) {
  std::map<std::string, Run> runs;
  for (const json& record : records) {
    const json& args = record.at("args");
    Run& run = runs[args.dump()];
    run.name = args.dump();
    run.dataset = args.at("dataset");
    run.algorithm = args.at("algorithm");
    run.test_envs = args.at("test_envs").get<std::vector<int>>();
    run.hparams_seed = args.at("hparams_seed");
    std::vector<std::pair<std::string, double>> values;
    for (const auto& [key, value] : record.items()) {
      if (value.is_number() && key != "step") {
        values.emplace_back(key, value.get<double>());
      }
    }
    run.add(record.at("step"), values);
  }
  History history;
  for (auto& [name, run] : runs) {
    history.push_back(std::move(run));
  }
  return history;
}

PairOptions leave_one_out_of_the_release() {
  PairOptions options;
  options.validation = Validation::leave_one_out;
  options.preference = {1e-6, 1.0};
  return options;
}

TEST(PairLeaveOneOut, ChoosesWhatTheReleaseChooses) {
  const json golden = stored("leave_one_out.json");
  const History history = sweep_of(golden.at("records"));
  const Selection selection = pair_s(history, leave_one_out_of_the_release());
  ASSERT_THAT(selection.decisions, SizeIs(3));
  for (const Decision& decision : selection.decisions) {
    const json& expected = golden.at("chosen").at(std::to_string(decision.test_envs.front()));
    const Candidate& chosen = decision.chosen();
    EXPECT_EQ(chosen.run->hparams_seed, expected.at("hparams_seed").get<std::int64_t>());
    EXPECT_THAT(chosen.validation, DoubleNear(expected.at("validation"), 1e-12));
    EXPECT_EQ(chosen.tests.front(), expected.at("test").get<double>());
  }
}

TEST(PairLeaveOneOut, NeedsARunPerLeftOutDomain) {
  History history = sweep_of(stored("leave_one_out.json").at("records"));
  std::erase_if(history, [](const auto& run) { return run.test_envs == std::vector{0, 1}; });
  const Selection selection = pair_s(history, leave_one_out_of_the_release());
  ASSERT_THAT(selection.decisions, SizeIs(1));
  EXPECT_THAT(selection.decisions.front().test_envs, ElementsAre(2));
  ASSERT_THAT(selection.notes, SizeIs(1));
  EXPECT_THAT(selection.notes.front(), HasSubstr("for each training domain, the run"));
}

TEST(PairLeaveOneOut, HasThePreferenceOfTheReleaseByItsRule) {
  const History history = sweep_of(stored("leave_one_out.json").at("records"));
  PairOptions options;
  options.validation = Validation::leave_one_out;
  options.rule = Rule::release;
  const Selection selection = pair_s(history, options);
  ASSERT_THAT(selection.decisions, SizeIs(3));
  const Selection expected = pair_s(history, leave_one_out_of_the_release());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(selection.decisions[i].preference, expected.decisions[i].preference);
    EXPECT_EQ(selection.decisions[i].chosen().run, expected.decisions[i].chosen().run);
  }
}

History runs_of(const json& golden) {
  History history;
  for (const json& stored_run : golden.at("runs")) {
    const json& args = stored_run.at("args");
    Run run;
    run.name = args.dump();
    run.dataset = args.at("dataset");
    run.algorithm = args.at("algorithm");
    run.test_envs = args.at("test_envs").get<std::vector<int>>();
    run.hparams_seed = args.at("hparams_seed");
    for (std::size_t record = 0; record < golden.at("steps").size(); ++record) {
      std::vector<std::pair<std::string, double>> values;
      for (const auto& [key, column] : stored_run.at("columns").items()) {
        values.emplace_back(key, column[record].get<double>());
      }
      run.add(golden.at("steps")[record], values);
    }
    history.push_back(std::move(run));
  }
  return history;
}

// One algorithm's runs on a dataset with a test domain: the decision by the release's rule.
Selection by_the_release(const History& history, const json& group) {
  PairOptions options;
  options.rule = Rule::release;
  options.validation =
      group.at("validation") == "test-domain" ? Validation::test_domain : Validation::train_domain;
  if (group.at("algorithm") == "IRMX") {
    options.losses = {"nll", "IRM_penalty", "vrex_penalty"};
  }
  return pair_s(history, options);
}

History runs_of_group(History history, const json& group) {
  std::erase_if(history, [&](const Run& run) {
    return run.dataset != group.at("dataset").get<std::string>() ||
           run.algorithm != group.at("algorithm").get<std::string>() ||
           run.test_envs.front() != group.at("test_env").get<int>();
  });
  return history;
}

// The order of all runs, the record of each, and the preference: for two and three losses, by validation
// accuracy for GroupDRO and DANN, with runs far below the bar, and ties.
TEST(PairByTheRule, OfTheReleaseRanksRunsAsTheReleaseDoes) {
  const json golden = stored("domainbed.json");
  const History all = runs_of(golden);
  ASSERT_THAT(golden.at("choices"), SizeIs(28));
  for (const json& group : golden.at("choices")) {
    const json& ranked = group.at("ranked");
    SCOPED_TRACE(group.dump());
    const History history = runs_of_group(all, group);
    const Selection selection = by_the_release(history, group);
    ASSERT_THAT(selection.decisions, SizeIs(1));
    const Decision& decision = selection.decisions.front();
    ASSERT_THAT(decision.candidates, SizeIs(ranked.size()));
    double sum = 1.0;  // of the release's preference, which is not scaled
    if (decision.losses.size() > 1) {
      const auto first = group.at("first_preference").get<double>();
      EXPECT_NEAR(decision.preference.front() / decision.preference.back(), first, 1e-12 * first);
      sum = 1.0 / decision.preference.back();
    }
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      const Candidate& candidate = decision.candidates[i];
      EXPECT_EQ(candidate.run->hparams_seed, ranked[i].at("hparams_seed").get<std::int64_t>());
      EXPECT_NEAR(candidate.validation, ranked[i].at("validation"), 1e-12);
      EXPECT_EQ(candidate.tests.front(), ranked[i].at("test").get<double>());
      // DANN's scores have 1e9 in front, and the digits that it leaves.
      const bool dann = group.at("algorithm") == "DANN";
      const double expected = ranked[i].at("score").get<double>() + (dann ? 1e9 : 0.0);
      EXPECT_NEAR(candidate.score * sum, expected, dann ? 1e-6 : 1e-12 * std::abs(expected));
    }
  }
}

TEST(PairByTheRule, OfTheReleaseDiffersFromThePapers) {
  const json golden = stored("domainbed.json");
  const History history = runs_of(golden);
  PairOptions options;
  const Selection paper = pair_s(history, options);
  options.rule = Rule::release;
  const Selection release = pair_s(history, options);
  EXPECT_EQ(paper.title, "PAIR-s, training-domain validation set");
  EXPECT_EQ(release.title, "PAIR-s, training-domain validation set, the release's rule");
  ASSERT_EQ(paper.decisions.size(), release.decisions.size());
  int others = 0;
  for (std::size_t i = 0; i < paper.decisions.size(); ++i) {
    const Candidate& ours = paper.decisions[i].chosen();
    const Candidate& theirs = release.decisions[i].chosen();
    others += ours.run != theirs.run || ours.record != theirs.record ? 1 : 0;
  }
  EXPECT_GT(others, 0);
}

}  // namespace
}  // namespace pair::select::release_test
