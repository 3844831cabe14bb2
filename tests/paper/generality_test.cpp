#include "pair/paper/generality.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

namespace pair::paper {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::uint64_t> three_seeds = {0, 1, 2};

const Row& row_named(const Table& table, const std::string& key) {
  return *std::find_if(table.rows.begin(), table.rows.end(), [&](const Row& row) { return row.key == key; });
}

TEST(Table6, HasFourRowsAnObjectiveBetweenErmIrmv1AndTheOracle) {
  const Table table = table6({}, three_seeds, {});
  EXPECT_EQ(table.rows.size(), 6U * 4 + 3);
  EXPECT_EQ(table.rows.front().key, "erm");
  EXPECT_EQ(table.rows.back().key, "oracle");
  for (const Row& row : table.rows) {
    EXPECT_EQ(row.cells.size(), 2U) << row.key;
    for (const Cell& cell : row.cells) {
      EXPECT_TRUE(cell.paper.has_value()) << row.key;
      for (const Setting& setting : cell.settings) {
        EXPECT_EQ(setting.specs.size(), 3U) << row.key;
      }
    }
  }
}

TEST(Table6, HasThePreferencesOfThePaper) {
  const Table table = table6({}, three_seeds, {});
  const auto preference = [&](const std::string& key) {
    return row_named(table, key).cells[0].settings[0].specs[0].settings.preference;
  };
  EXPECT_THAT(preference("vrex_pair"), ElementsAre(1, 1e10, 1e12));
  EXPECT_THAT(preference("fishr_pair"), ElementsAre(1, 1e8, 1e12));
  EXPECT_THAT(preference("ib_pair"), ElementsAre(1, 1e12, 1e8));
  EXPECT_THAT(row_named(table, "ib_pair").cells[0].settings[0].specs[0].settings.objectives,
              ElementsAre("erm", "irmv1", "ib"));
}

TEST(Table6, RunsPairOOnceForItselfAndForPairS) {
  const std::vector<std::string> one = {"vrex"};
  const Table table = table6(one, three_seeds, {});
  std::set<std::string> hashes;
  for (const runs::RunSpec& spec : specs_of(table)) {
    EXPECT_TRUE(hashes.insert(runs::hash(spec)).second);
  }
  // Penalties alone and with IRMv1, learning rates; ERM, IRMv1, oracle.
  EXPECT_EQ(hashes.size(), (6U + 6 + 5 + 3) * 2 * 3);
}

TEST(Table6, KnowsItsObjectives) {
  const std::vector<std::string> wrong = {"vrx"};
  EXPECT_THAT([&] { table6(wrong, three_seeds, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'vrex'?")));
}

TEST(Table7, HasEveryCombinationUnderThreeSchemes) {
  const Table table = table7(three_seeds, {});
  EXPECT_EQ(table.rows.size(), 7U * 3 + 3);
  EXPECT_THAT(row_named(table, "all_pair").cells[0].settings[0].specs[0].settings.preference,
              ElementsAre(1, 1e8, 1e6, 1e10, 1e12));
}

TEST(TablePick, TakesTheBestMeanAndWhatPairSChooses) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "pair-generality-pick";
  std::filesystem::remove_all(root);
  const std::vector<std::uint64_t> seeds = {0, 1};
  const std::vector<std::string> one = {"vrex"};
  Table table = table6(one, seeds,
                       {{"steps", "12"},
                        {"pretrain", "4"},
                        {"eval_every", "2"},
                        {"train_digits", "200"},
                        {"test_digits", "100"},
                        {"width", "8"}});
  std::erase_if(table.rows, [](const Row& row) { return !row.key.starts_with("vrex_pair"); });
  const sweep::ManyRuns runs = sweep::run_all(specs_of(table), root, 2);
  const nlohmann::json result = result_json(table, runs, seeds);
  const nlohmann::json& best = result.at("rows")[0].at("cells")[0];
  EXPECT_EQ(best.at("settings").size(), 5U);
  double largest = 0.0;
  for (const nlohmann::json& setting : best.at("settings")) {
    largest = std::max(largest, setting.at("mean").get<double>());
  }
  EXPECT_EQ(best.at("mean").get<double>(), largest);
  const nlohmann::json& selected = result.at("rows")[1].at("cells")[0];
  EXPECT_EQ(selected.at("setting"), "PAIR-s");
  EXPECT_EQ(selected.at("values").size(), 2U);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace pair::paper
