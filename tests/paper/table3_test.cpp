#include "pair/paper/table3.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "pair/sweep/jobs.h"

namespace pair::paper {
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
  EXPECT_THAT([] { table3_sweep({"irm1"}, 1, 1, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'irmv1'?")));
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

TEST(Table3, LeavesAnXWhereADomainHasNoRuns) {
  const select::History history = {made_run(0, 0, {{0.4, 0.1, 0.9, 0.7}})};
  const nlohmann::json result = table3(history, Table3Validation::test_domain);
  EXPECT_TRUE(result.at("rows")[0].at("figures")[1].is_null());
  EXPECT_TRUE(result.at("rows")[0].at("average").is_null());
  EXPECT_THAT(table3_text(result), HasSubstr("X ("));
}

}  // namespace
}  // namespace pair::paper
