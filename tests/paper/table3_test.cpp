#include "pair/paper/table3.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pair/paper/table3_printed.h"
#include "pair/sweep/jobs.h"

namespace pair::paper::table3_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A run of IRM whose records have the given losses and accuracies: the domains seen, held out, and the one
// that was left out.
select::Run made_run(int test_env, std::int64_t hparams_seed,
                     const std::vector<std::array<double, 4>>& records) {
  select::Run run;
  run.name = "irm-" + std::to_string(test_env) + "-" + std::to_string(hparams_seed);
  run.dataset = "ColoredMNIST";
  run.algorithm = "irmv1";
  run.test_envs = {test_env};
  run.hparams_seed = hparams_seed;
  std::int64_t step = 0;
  for (const auto& [nll, penalty, validation, test] : records) {
    std::vector<std::pair<std::string, double>> values = {{"nll", nll}, {"penalty", penalty}};
    for (int environment = 0; environment < 3; ++environment) {
      const std::string key = "env" + std::to_string(environment);
      const double accuracy = environment == test_env ? test : validation;
      values.emplace_back(key + "_in_acc", accuracy);
      values.emplace_back(key + "_out_acc", accuracy);
    }
    run.add(step, values);
    step += 100;
  }
  return run;
}

TEST(Table3, SweepsFiveAlgorithmsOverThreeDomains) {
  EXPECT_EQ(sweep::jobs_of(table3_sweep({}, 20, 3, {})).size(), 900U);
  EXPECT_EQ(sweep::jobs_of(table3_sweep({"erm"}, 2, 1, {})).size(), 6U);
  EXPECT_THAT(table3_sweep({"IRM", "GroupDRO"}, 2, 1, {}).algorithms,
              ::testing::ElementsAre("irmv1", "groupdro"));
  EXPECT_THAT([] { table3_sweep({"irm1"}, 1, 1, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'irmv1'?")));
}

TEST(Table3, SweepsFourDomainsOfPictures) {
  for (const char* dataset : {"PACS", "TerraIncognita"}) {
    const sweep::Definition definition = table3_sweep({}, 20, 3, {}, Table3Validation::train_domain, dataset);
    EXPECT_THAT(definition.datasets, ::testing::ElementsAre(dataset));
    EXPECT_EQ(sweep::jobs_of(definition).size(), 1200U);
  }
  EXPECT_THAT([] { table3_sweep({}, 1, 1, {}, Table3Validation::train_domain, "VLCS"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("TerraIncognita")));
}

// As above: each printed average is that of the printed figures, but for ERM's with the training-domain set.
TEST(Table3, HasPrintedFiguresOfPicturesThatAddUp) {
  for (const PrintedDataset& dataset : table3_printed()) {
    for (const PrintedAlgorithm& algorithm : dataset.algorithms) {
      for (const PrintedRows* rows : {&algorithm.train_domain, &algorithm.test_domain}) {
        for (const PrintedRow* row : {&rows->plain, &rows->pair_s}) {
          ASSERT_EQ(row->figures.size(), dataset.environments.size());
          double sum = 0.0;
          for (const Printed& figure : row->figures) {
            sum += figure.mean;
          }
          const bool slip = algorithm.key == "erm" && rows == &algorithm.train_domain;
          EXPECT_NEAR(sum / static_cast<double>(row->figures.size()), row->average.mean, slip ? 2.0 : 0.101)
              << dataset.name << ' ' << algorithm.label;
        }
      }
    }
  }
}

TEST(Table3, LeavesOutEachDomainWhateverIsSet) {
  EXPECT_THAT(
      [] {
        table3_sweep({}, 1, 1, {{"test_envs", "2"}});
      },
      ThrowsMessage<std::invalid_argument>(
          ::testing::AllOf(HasSubstr("test_envs cannot be set to 2"), ::testing::Not(HasSubstr("--")))));
}

TEST(Table3, ShowsWhatPairSGainsInTheWorstDomain) {
  select::History history;
  for (int environment = 0; environment < 3; ++environment) {
    // Best validation with a large penalty and the test domain lost; near it, a small one that holds up.
    history.push_back(made_run(environment, 0, {{0.4, 1.0, 0.90, 0.10}, {0.3, 1.0, 0.95, 0.10}}));
    history.push_back(made_run(environment, 1, {{0.5, 1e-4, 0.93, 0.60}, {0.5, 1e-4, 0.93, 0.60}}));
    history.push_back(made_run(environment, 2, {{0.7, 1e-9, 0.50, 0.50}, {0.7, 1e-9, 0.50, 0.50}}));
  }
  const nlohmann::json result = table3(history, Table3Validation::train_domain);
  ASSERT_EQ(result.at("rows").size(), 2U);
  EXPECT_NEAR(result.at("rows")[0].at("worst").get<double>(), 10.0, 1e-9);
  EXPECT_NEAR(result.at("rows")[1].at("worst").get<double>(), 60.0, 1e-9);
  EXPECT_NEAR(result.at("rows")[1].at("delta_worst").get<double>(), 50.0, 1e-9);
  EXPECT_EQ(result.at("rows")[1].at("paper").at("delta_worst"), 14.3);
  EXPECT_THAT(table3_text(result), HasSubstr("+50.0 (+14.3)"));
}

// Within a run the release takes the best validation accuracy near the best score, here the step that the
// paper's rule does not take.
TEST(Table3, FollowsTheRule) {
  select::History history;
  for (int environment = 0; environment < 3; ++environment) {
    history.push_back(
        made_run(environment, 0, {{0.5, 1.0, 0.5, 0.2}, {0.5, 1.1e-2, 0.9, 0.7}, {0.5, 1.0e-2, 0.6, 0.4}}));
  }
  const nlohmann::json paper = table3(history, Table3Validation::train_domain);
  EXPECT_EQ(paper.at("rule"), "paper");
  EXPECT_NEAR(paper.at("rows")[1].at("worst").get<double>(), 40.0, 1e-9);
  EXPECT_THAT(table3_text(paper), ::testing::Not(HasSubstr("rule")));
  const nlohmann::json release =
      table3(history, Table3Validation::train_domain, "ColoredMNIST", select::Rule::release);
  EXPECT_EQ(release.at("rule"), "release");
  EXPECT_NEAR(release.at("rows")[1].at("worst").get<double>(), 70.0, 1e-9);
  EXPECT_THAT(table3_text(release), HasSubstr("PAIR-s by the release's rule"));
}

TEST(Table3, SaysOnHowManyDrawsAndTrialsAFigureRests) {
  select::History history;
  for (int environment = 0; environment < 3; ++environment) {
    for (int trial = 0; trial < 2; ++trial) {
      for (int draw = 0; draw < 3 + trial; ++draw) {
        history.push_back(made_run(environment, draw, {{0.4, 0.1, 0.5 + 0.01 * draw, 0.1 * (trial + 1)}}));
        history.back().trial_seed = trial;
        history.back().name += "-" + std::to_string(trial);
      }
    }
  }
  const nlohmann::json result = table3(history, Table3Validation::train_domain);
  const nlohmann::json& row = result.at("rows")[0];
  EXPECT_EQ(row.at("figures")[0].at("trials"), 2);
  EXPECT_EQ(row.at("figures")[0].at("draws"), nlohmann::json({3, 4}));
  EXPECT_NEAR(row.at("average").get<double>(), 15.0, 1e-9);
  // Deviation 5 of two trials, over the root of two.
  EXPECT_NEAR(row.at("average_error").get<double>(), 5.0 / std::sqrt(2.0), 1e-9);
  EXPECT_THAT(table3_text(result), HasSubstr("3-4 x 2\n"));
  std::erase_if(history, [](const select::Run& run) { return run.trial_seed == 1 && run.test_envs[0] == 2; });
  EXPECT_THAT(table3_text(table3(history, Table3Validation::train_domain)),
              HasSubstr("3-4 x 2, 3-4 x 2, 3 x 1\n"));
}

// Appendix G.3.
TEST(Table3, ShowsThePapersErrorsAndAverages) {
  const select::History history = {made_run(0, 0, {{0.4, 0.1, 0.9, 0.7}})};
  const nlohmann::json result = table3(history, Table3Validation::train_domain);
  const nlohmann::json& paper = result.at("rows")[1].at("paper");
  EXPECT_EQ(paper.at("figures")[2], (nlohmann::json{{"mean", 24.2}, {"error", 1.6}}));
  EXPECT_EQ(paper.at("average"), (nlohmann::json{{"mean", 52.2}, {"error", 0.5}}));
  EXPECT_THAT(table3_text(result), HasSubstr("X (24.2 +- 1.6)"));
  EXPECT_THAT(table3_text(result), HasSubstr("X (52.2 +- 0.5)"));
  const nlohmann::json test = table3(history, Table3Validation::test_domain);
  EXPECT_EQ(test.at("rows")[0].at("paper").at("figures")[2],
            (nlohmann::json{{"mean", 59.4}, {"error", 5.3}}));
}

// A column that was typed wrong would not add up: the printed averages are of the printed figures, each
// rounded, but for one slip of the paper's.
TEST(Table3, HasPrintedAveragesOfThePrintedFigures) {
  select::History history;
  for (const std::string& algorithm : table3_algorithms()) {
    history.push_back(made_run(0, 0, {{0.4, 0.1, 0.9, 0.7}}));
    history.back().algorithm = algorithm;
    history.back().name = algorithm;
  }
  for (const Table3Validation validation : {Table3Validation::train_domain, Table3Validation::test_domain}) {
    const nlohmann::json result = table3(history, validation);
    EXPECT_EQ(result.at("rows").size(), 9U);
    for (const nlohmann::json& row : result.at("rows")) {
      double sum = 0.0;
      for (const nlohmann::json& figure : row.at("paper").at("figures")) {
        sum += figure.at("mean").get<double>();
      }
      EXPECT_NEAR(sum / 3.0, row.at("paper").at("average").at("mean").get<double>(), 0.101)
          << row.at("label") << row.at("pair_s");
    }
  }
}

TEST(Table3, LeavesAnXWhereADomainHasNoRuns) {
  const select::History history = {made_run(0, 0, {{0.4, 0.1, 0.9, 0.7}})};
  const nlohmann::json result = table3(history, Table3Validation::test_domain);
  EXPECT_TRUE(result.at("rows")[0].at("figures")[1].is_null());
  EXPECT_TRUE(result.at("rows")[0].at("average").is_null());
  EXPECT_THAT(table3_text(result), HasSubstr("X ("));
}

TEST(Table3, ByLeaveOneOutHasAColumnPerDomain) {
  for (const std::string& dataset : table3_datasets()) {
    select::History history = {made_run(0, 0, {{0.4, 0.1, 0.9, 0.2}})};
    const nlohmann::json result = table3(history, Table3Validation::leave_one_out, dataset);
    ASSERT_FALSE(result.at("rows").empty());
    for (const nlohmann::json& row : result.at("rows")) {
      EXPECT_EQ(row.at("paper").at("figures").size(), result.at("environments").size()) << dataset;
    }
    EXPECT_THAT(table3_text(result), HasSubstr(dataset));
  }
}

TEST(Table3, ByLeaveOneOutNeedsRunsWithTwoTestDomains) {
  const sweep::Definition definition = table3_sweep({"irmv1"}, 2, 1, {}, Table3Validation::leave_one_out);
  EXPECT_EQ(sweep::jobs_of(definition).size(), 2U * (3 + 3));
  select::History history;
  for (int environment = 0; environment < 3; ++environment) {
    for (int draw = 0; draw < 2; ++draw) {
      history.push_back(made_run(environment, draw, {{0.4, 0.1, 0.9, draw == 0 ? 0.2 : 0.6}}));
      // The run that also leaves out the next domain: its accuracy there validates both.
      select::Run pair = made_run(environment, draw, {{0.4, 0.1, 0.9, draw == 0 ? 0.3 : 0.7}});
      const int other = (environment + 1) % 3;
      pair.test_envs = {environment, other};
      pair.name += "-and-" + std::to_string(other);
      for (select::Column& column : pair.columns) {
        if (column.key == "env" + std::to_string(other) + "_in_acc") {
          column.values = {draw == 0 ? 0.3 : 0.7};
        }
      }
      history.push_back(std::move(pair));
    }
  }
  const nlohmann::json result = table3(history, Table3Validation::leave_one_out);
  ASSERT_EQ(result.at("rows").size(), 2U);
  EXPECT_EQ(result.at("validation"), "leave-one-out");
  for (const nlohmann::json& row : result.at("rows")) {
    EXPECT_NEAR(row.at("average").get<double>(), 60.0, 1e-9);
    EXPECT_TRUE(row.at("paper").at("average").at("mean").is_null());
  }
  EXPECT_THAT(table3_text(result), HasSubstr("leave-one-out validation"));
  const nlohmann::json alone =
      table3({made_run(0, 0, {{0.4, 0.1, 0.9, 0.7}})}, Table3Validation::leave_one_out);
  EXPECT_TRUE(alone.at("rows")[1].at("figures")[0].is_null());
}

}  // namespace
}  // namespace pair::paper::table3_test
