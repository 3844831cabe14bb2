#include "pair/paper/wilds_tables.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pair/data/wilds_generate.h"
#include "pair/runs/settings.h"
#include "tests/support/scratch.h"

namespace pair::paper::wilds_tables_test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

json wilds_record(double val, double test) {
  return {{"args", {{"selection", "val_acc_avg"}}},
          {"val_acc_avg", val},
          {"test_acc_avg", test},
          {"test_acc", 0.9}};
}

TEST(WildsTables, TakeTheTestScoreOfTheBestValidationScore) {
  EXPECT_EQ(chosen_test_score({wilds_record(0.5, 0.1), wilds_record(0.7, 0.2), wilds_record(0.6, 0.3)}), 0.2);
  // The earliest of equals, as for kept models.
  EXPECT_EQ(chosen_test_score({wilds_record(0.7, 0.4), wilds_record(0.7, 0.2)}), 0.4);
  EXPECT_TRUE(std::isnan(chosen_test_score({})));
  EXPECT_TRUE(std::isnan(chosen_test_score({json{{"args", json::object()}}})));
  json undefined = wilds_record(0.5, 0.1);
  undefined["val_acc_avg"] = json();  // a correlation of constant predictions
  EXPECT_EQ(chosen_test_score({undefined, wilds_record(0.1, 0.3)}), 0.3);
}

TEST(WildsTables, HaveSampleDeviationsPercentAndAverageRanks) {
  const std::vector<WildsCell> cells{
      {"camelyon17", "erm", {}}, {"camelyon17", "pair", {}}, {"poverty", "erm", {}}, {"poverty", "pair", {}}};
  const double failed = std::numeric_limits<double>::quiet_NaN();
  const json result = wilds_table_json("table2", cells, {{0.6, 0.8}, {0.9, failed}, {0.5}, {0.25}});
  const json& erm = result["rows"][0];
  EXPECT_NEAR(erm["cells"][0]["mean"].get<double>(), 70.0, 1e-9);
  EXPECT_NEAR(erm["cells"][0]["deviation"].get<double>(), 100.0 * std::sqrt(0.02), 1e-9);
  EXPECT_EQ(erm["cells"][0]["paper"]["mean"], 70.3);
  EXPECT_EQ(result["rows"][1]["cells"][0]["values"].size(), 1U) << "a failed run does not count";
  EXPECT_EQ(erm["cells"][1]["mean"], 0.5) << "a correlation is not in percent";
  EXPECT_EQ(erm["rank"], 1.5);
  EXPECT_EQ(result["rows"][1]["rank"], 1.5);
  EXPECT_EQ(erm["paper_rank"], 4.5);
  EXPECT_THAT(wilds_table_text(result), HasSubstr("70.0 +- 14.1"));
}

TEST(WildsTables, LeaveDatasetsThatARowLacksOutOfTheRank) {
  const std::vector<WildsCell> cells{
      {"fmow", "erm", {}}, {"fmow", "pair", {}}, {"rxrx1", "erm", {}}, {"rxrx1", "pair", {}}};
  const json result = wilds_table_json("table2", cells, {{0.1}, {0.2}, {0.9}, {}});
  EXPECT_EQ(result["rows"][0]["rank"], 2.0);
  EXPECT_TRUE(result["rows"][1]["cells"][1].is_null());
}

TEST(WildsTables, HaveThePapersSeedsAndFolds) {
  const tests::Scratch scratch;
  WildsTablesRequest request{.data_root = scratch.path().string()};
  request.methods = {"erm"};
  std::map<std::string, std::size_t> seeds;
  for (const WildsCell& cell : table2_cells(request)) {
    seeds[cell.dataset] = cell.specs.size();
  }
  EXPECT_EQ(seeds.at("camelyon17"), 10U);
  EXPECT_EQ(seeds.at("poverty"), 5U);
  EXPECT_EQ(seeds.at("fmow"), 3U);
}

TEST(WildsTables, HaveAllSixDatasetsAndTheSettingsOfEach) {
  const tests::Scratch scratch;
  EXPECT_THAT(table2_datasets(),
              ::testing::ElementsAre("camelyon17", "civilcomments", "fmow", "iwildcam", "poverty", "rxrx1"));
  EXPECT_THAT(table5_datasets(), ::testing::ElementsAre("civilcomments", "fmow"));
  WildsTablesRequest request{.data_root = scratch.path().string()};
  request.common = {{"vocab", "/somewhere/vocab.txt"}};
  const auto setting = [&](const char* dataset, const char* method, const char* name) {
    request.datasets = {dataset};
    request.methods = {method};
    return runs::text_of(table2_cells(request).at(0).specs.at(0), name);
  };
  EXPECT_EQ(setting("civilcomments", "pair", "vocab"), "/somewhere/vocab.txt");
  EXPECT_EQ(setting("civilcomments", "pair", "preference"), "1,1e+08,1e+12");
  EXPECT_EQ(setting("civilcomments", "pair", "irmv1_negative"), "scale");
  EXPECT_EQ(setting("civilcomments", "irmx", "irmv1_negative"), "keep")
      << "only PAIR-o changes negative ones";
  EXPECT_EQ(setting("civilcomments", "fish", "meta_lr"), "0.05");
  EXPECT_EQ(setting("poverty", "fish", "meta_lr"), "0.1");
  EXPECT_EQ(setting("rxrx1", "fish", "meta_lr"), "0.01");
  EXPECT_EQ(setting("rxrx1", "fish", "meta_lr_shared"), "true");
  EXPECT_EQ(setting("rxrx1", "fish", "pretrain"), "15000");
  EXPECT_EQ(setting("poverty", "lisa", "lisa_same_label"), "1");
  EXPECT_EQ(setting("poverty", "lisa", "pretrain"), "0");
}

TEST(WildsTables, StartFromTheWeightsOfTheirNetworks) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "dense.pth") << "weights";
  WildsTablesRequest request{.data_root = scratch.path().string()};
  request.methods = {"erm"};
  request.weights = {{"densenet121", (scratch / "dense.pth").string()}};
  for (const WildsCell& cell : table2_cells(request)) {
    const std::string weights = runs::text_of(cell.specs.at(0), "weights");
    EXPECT_EQ(weights, cell.dataset == "fmow" ? (scratch / "dense.pth").string() : "none") << cell.dataset;
  }
}

TEST(WildsTables, SearchNinePairsOfPenaltiesInTable5) {
  const tests::Scratch scratch;
  WildsTablesRequest request{.data_root = scratch.path().string()};
  request.datasets = {"fmow"};
  const std::vector<WildsCell> cells = table5_cells(request);
  ASSERT_EQ(cells.size(), 10U);
  EXPECT_EQ(runs::text_of(cells[1].specs[0], "penalties"), "0.01,1");
  const json result = wilds_table_json("table5", cells, std::vector<std::vector<double>>(10, {0.3}));
  EXPECT_EQ(result["rows"][8]["cells"][0]["paper"]["mean"], 13.14);
  EXPECT_EQ(result["rows"][9]["cells"][0]["paper"]["mean"], 35.5);
}

TEST(WildsTables, RefuseUnknownNamesAndAMissingFolder) {
  EXPECT_THAT(
      [] { (void)table2_cells({}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("--data-root: expected the folder that holds WILDS'")));
  WildsTablesRequest request{.data_root = "/tmp"};
  request.datasets = {"amazon"};
  EXPECT_THAT([&] { (void)table2_cells(request); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("unknown dataset of Table 2 'amazon'")));
}

}  // namespace
}  // namespace pair::paper::wilds_tables_test
