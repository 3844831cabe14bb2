#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pair/paper/table1.h"

namespace pair::paper::table_test {
namespace {

using ::testing::HasSubstr;

// Runs of a second or two, in a folder that goes with the test.
class PaperTable : public ::testing::Test {
 public:
  ~PaperTable() override { std::filesystem::remove_all(root); }

 protected:
  PaperTable() {
    root = std::filesystem::path(::testing::TempDir()) /
           (std::string("paper-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root);
  }

  std::filesystem::path root;
  base::Assignments quick = {
      {"train_digits", "400"}, {"test_digits", "200"}, {"steps", "12"}, {"width", "8"}};
};

TEST_F(PaperTable, HoldsTheRowsOfThePaperWithItsFigures) {
  const std::vector<std::uint64_t> seeds = {0, 1, 2};
  const Table table = table1({}, seeds, {});
  ASSERT_EQ(table.rows.size(), 13U);
  // Two rows are constants.
  EXPECT_EQ(specs_of(table).size(), 11U * 2 * 3);
  const Row& pair = table.rows[6];
  EXPECT_EQ(pair.key, "pair_w");
  EXPECT_EQ(pair.cells[0].paper->mean, 69.2);
  EXPECT_EQ(pair.cells[1].settings[0].specs[2].seed, 2U);
  // One setting for both datasets.
  EXPECT_EQ(pair.cells[0].settings[0].specs[0].settings.balance_lr,
            pair.cells[1].settings[0].specs[0].settings.balance_lr);
  EXPECT_EQ(table.rows[10].cells[0].settings[0].specs[0].dataset.name, "cmnist-gray");
}

// "We search over two choices, i.e., 0.01 and 0.1" (Appendix F.1); the release's README has 0.1 for CMNIST
// and 0.01 for CMNIST-m, and its optimizer is SGD with momentum 0.9 and nothing else.
TEST_F(PaperTable, HasThePapersOwnStepBesideTheGuardedOne) {
  const Table table = table1(std::vector<std::string>{"pair_f_plain", "pair_phi_plain", "pair_w_plain"},
                             std::vector<std::uint64_t>{0}, {});
  ASSERT_EQ(table.rows.size(), 3U);
  for (const Row& row : table.rows) {
    for (std::size_t d = 0; d < 2; ++d) {
      const train::Settings& settings = row.cells[d].settings[0].specs[0].settings;
      EXPECT_EQ(settings.balance_lr, d == 0 ? 0.1 : 0.01);
      EXPECT_EQ(settings.momentum, 0.9);
      EXPECT_FALSE(settings.restart);
      EXPECT_FALSE(settings.backtrack);
      EXPECT_EQ(settings.decay, train::Decay::none);
      EXPECT_EQ(settings.pretrain, 150);
    }
  }
  EXPECT_EQ(table.rows[0].cells[0].settings[0].specs[0].settings.gradients, train::GradientSource::all);
  EXPECT_EQ(table.rows[2].cells[0].settings[0].specs[0].settings.gradients, train::GradientSource::head);
}

TEST_F(PaperTable, SumsTheRisksAsTheReleaseDoesExceptForErm) {
  const Table table =
      table1(std::vector<std::string>{"erm", "irmv1", "vrex", "irmx"}, std::vector<std::uint64_t>{0}, {});
  std::vector<std::string> sums;
  for (const Row& row : table.rows) {
    sums.push_back(row.cells[0].settings[0].specs[0].settings.sums);
  }
  EXPECT_THAT(sums, ::testing::ElementsAre("none", "erm", "erm", "erm"));
}

TEST_F(PaperTable, ShowsConstantsWithoutRuns) {
  const Table table =
      table1(std::vector<std::string>{"optimum", "chance"}, std::vector<std::uint64_t>{0}, {});
  EXPECT_TRUE(specs_of(table).empty());
  const nlohmann::json json = result_json(second_stage(table, {}), {}, {0});
  EXPECT_EQ(json["rows"][0]["average"], 82.5);
  EXPECT_THAT(as_markdown(json), HasSubstr("| Optimum | 75.0 | 75.0 | 90.0 | 90.0 | 82.5 | 82.5 |"));
}

TEST_F(PaperTable, RunsItsSpecsSideBySideAndReadsFinishedOnes) {
  const std::vector<std::uint64_t> seeds = {0, 1};
  base::Assignments changes = quick;
  changes.emplace_back("pretrain", "4");
  const Table table = table1(std::vector<std::string>{"erm", "pair_w"}, seeds, changes);
  const std::vector<runs::RunSpec> specs = specs_of(table);
  const sweep::ManyRuns first = sweep::run_all(specs, root, 2);
  const sweep::ManyRuns again = sweep::run_all(specs, root, 1);
  ASSERT_EQ(first.outcomes.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(first.outcomes[i].error, "");
    EXPECT_GT(first.outcomes[i].record.at("worst_test_acc"), 0.0);
    EXPECT_EQ(first.outcomes[i].record, again.outcomes[i].record);
  }
  const nlohmann::json json = result_json(table, first, seeds);
  EXPECT_EQ(json["rows"][0]["cells"][0]["values"].size(), 2U);
  EXPECT_EQ(json["rows"][0]["cells"][0]["paper"]["mean"], 17.1);
  EXPECT_THAT(as_text(json), HasSubstr("PAIR-o (w)"));
  EXPECT_THAT(as_markdown(json), HasSubstr("| ERM |"));
}

TEST_F(PaperTable, ContinuesWhenARunFailsAndSaysSo) {
  const std::vector<std::uint64_t> seeds = {0};
  const Table table = table1(std::vector<std::string>{"erm"}, seeds, quick);
  const std::vector<runs::RunSpec> specs = specs_of(table);
  // A file in place of the first run's folder.
  std::filesystem::create_directories(root);
  std::ofstream(root / runs::default_directory(specs[0]).filename()) << "in the way";
  const sweep::ManyRuns runs = sweep::run_all(specs, root, 2);
  EXPECT_NE(runs.outcomes[0].error, "");
  EXPECT_EQ(runs.outcomes[1].error, "");
  const nlohmann::json json = result_json(table, runs, seeds);
  EXPECT_TRUE(json["rows"][0]["cells"][0]["mean"].is_null());
  EXPECT_TRUE(json["rows"][0]["average"].is_null());
  EXPECT_THAT(as_text(json), HasSubstr("(1 failed)"));
}

TEST_F(PaperTable, NamesTheNearestMethod) {
  const std::vector<std::uint64_t> seeds = {0};
  try {
    (void)table1(std::vector<std::string>{"pair_ww"}, seeds, {});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'pair_w'"));
  }
}

TEST(PaperTableText, SaysThatASettingIsNotThePapers) {
  nlohmann::json result = nlohmann::json::parse(
      R"({"title": "Accuracy", "rows": [{"label": "ERM", "cells": [], "average": 17.1, "paper_average": null}]})");
  EXPECT_EQ(as_text(result).find("Not the paper's"), std::string::npos);
  result["changed_settings"] = {"steps=60", "lr=1"};
  EXPECT_THAT(as_text(result), HasSubstr("Not the paper's setting: steps=60, lr=1\n"));
  EXPECT_THAT(as_markdown(result), HasSubstr("Not the paper's setting: steps=60, lr=1\n\n"));
}

TEST(Robustness, ComparesTheGuardedStepAndThePapersOverTwelveSettings) {
  const std::vector<std::uint64_t> seeds = {0, 1};
  const Table table = robustness(seeds, {});
  ASSERT_EQ(table.rows.size(), 12U);
  EXPECT_EQ(table.rows[0].label, "guarded step, lr 0.1, 150 steps of ERM");
  EXPECT_EQ(table.rows[11].label, "the paper's step, lr 0.4, 200 steps of ERM");
  EXPECT_EQ(table.rows[11].key, "plain_0.4_200");  // as in docs/results/robustness.json
  EXPECT_TRUE(table.rows[0].cells[0].settings[0].specs[0].settings.restart);
  EXPECT_FALSE(table.rows[11].cells[1].settings[0].specs[1].settings.restart);
  EXPECT_FALSE(table.rows[11].cells[1].settings[0].specs[1].settings.backtrack);
  EXPECT_EQ(table.rows[11].cells[0].settings[0].specs[0].settings.pretrain, 200);
}

}  // namespace
}  // namespace pair::paper::table_test
