#include <gmock/gmock.h>

#include <algorithm>

#include "pair/select/catalog.h"
#include "pair/select/domainbed.h"
#include "pair/select/table.h"
#include "tests/select/fixtures.h"

namespace pair::select::dataset_names_test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

using Settings = std::vector<std::pair<std::string, std::string>>;

// A run on a table or images, with these settings as JSON.
Run run_with(const char* dataset, Settings settings) {
  Run run = testing::make_run("run", {0}, 0, {{0, {0.5, 0.6, 0.6}, {0.5, 0.6, 0.6}}});
  run.dataset = dataset;
  run.hparams = std::move(settings);
  return run;
}

Run table_run(const std::string& file, const std::string& digest, const char* label = R"("y")",
              const char* environment = R"(["site"])") {
  return run_with("table", {{"environment", environment},
                            {"file", '"' + file + '"'},
                            {"file_sha256", '"' + digest + '"'},
                            {"label", label}});
}

std::vector<std::string> names_of(History history) {
  name_datasets(history);
  std::vector<std::string> names;
  for (const Run& run : history) {
    EXPECT_THAT(run.dataset, StartsWith(run.recorded_dataset()));
    names.push_back(run.dataset);
  }
  return names;
}

TEST(DatasetNames, AreTheRecordsWhereAllRunsHaveTheSameData) {
  EXPECT_THAT(names_of({table_run("/a/mine.csv", "11"), table_run("/a/mine.csv", "11")}),
              ElementsAre("table", "table"));
}

TEST(DatasetNames, HaveTheFileTheLabelOrTheEnvironmentThatDiffers) {
  EXPECT_THAT(names_of({table_run("/a/mine.csv", "11"), table_run("/a/other.csv", "22", R"("z")")}),
              ElementsAre("table (mine.csv)", "table (other.csv)"));
  EXPECT_THAT(names_of({table_run("/a/mine.csv", "11"), table_run("/a/mine.csv", "11", R"("out=come")")}),
              ElementsAre("table (label 'y')", "table (label 'out=come')"));
  EXPECT_THAT(names_of({table_run("/a/mine.csv", "11"),
                        table_run("/a/mine.csv", "11", R"("y")", R"(["Site \"A\" \\ B","year"])")}),
              ElementsAre("table (environment 'site')", R"(table (environment 'Site "A" \ B, year'))"));
  EXPECT_THAT(names_of({table_run("/a/mine.csv", "11"), table_run("/a/mine.csv", "11", R"("z")"),
                        table_run("/a/other.csv", "22")}),
              ElementsAre("table (mine.csv, label 'y')", "table (mine.csv, label 'z')",
                          "table (other.csv, label 'y')"));
}

TEST(DatasetNames, AreTheSameForAFileThatWasMoved) {
  EXPECT_THAT(names_of({table_run("/b/moved.csv", "11"), table_run("/a/mine.csv", "11")}),
              ElementsAre("table", "table"));
  EXPECT_THAT(names_of({table_run("/b/moved.csv", "11"), table_run("/a/mine.csv", "11"),
                        table_run("/a/other.csv", "22")}),
              ElementsAre("table (mine.csv)", "table (mine.csv)", "table (other.csv)"));
}

TEST(DatasetNames, HaveAsMuchOfAPathAsTellsFilesApart) {
  EXPECT_THAT(names_of({table_run("/x/a/data.csv", "11"), table_run("/x/b/data.csv", "22")}),
              ElementsAre("table (a/data.csv)", "table (b/data.csv)"));
  EXPECT_THAT(names_of({table_run("/data.csv", "11"), table_run("/b/data.csv", "22")}),
              ElementsAre("table (/data.csv)", "table (b/data.csv)"));
}

TEST(DatasetNames, HaveTheDigestsOfFilesThatReplacedEachOther) {
  EXPECT_THAT(names_of({table_run("/a/data.csv", "0123456789ab"), table_run("/a/data.csv", "ba9876543210")}),
              ElementsAre("table (data.csv 01234567)", "table (data.csv ba987654)"));
}

TEST(DatasetNames, HaveNoPartOfAPathInPlaceOfADigest) {
  EXPECT_THAT(names_of({table_run("/a/data.csv", ""), table_run("/a/data.csv", "ba9876543210")}),
              ElementsAre("table (data.csv)", "table (data.csv ba987654)"));
}

TEST(DatasetNames, HaveAColumnThatIsCalledNone) {
  EXPECT_THAT(names_of({table_run("/a/mine.csv", "11"), table_run("/a/mine.csv", "11", R"("none")")}),
              ElementsAre("table (label 'y')", "table (label 'none')"));
}

TEST(DatasetNames, OfImagesAreTheirFoldersOrLists) {
  EXPECT_THAT(names_of({run_with("images", {{"folder", R"("/a/birds/")"}, {"manifest", R"("none")"}}),
                        run_with("images", {{"folder", R"("/a/cats")"}, {"manifest", R"("none")"}}),
                        run_with("images", {{"folder", R"("")"},
                                            {"manifest", R"("/a/list.csv")"},
                                            {"manifest_sha256", R"("11")"}})}),
              ElementsAre("images (birds)", "images (cats)", "images (list.csv)"));
}

TEST(DatasetNames, OfAListOfImagesHaveItsColumnsIfTheyDiffer) {
  const auto list_run = [](const char* environment) {
    std::map<std::string, std::string> settings{
        {"folder", R"("")"}, {"manifest", R"("/a/list.csv")"}, {"manifest_sha256", R"("11")"}};
    if (environment != nullptr) {
      settings["label"] = R"("label")";
      settings["environment"] = environment;
    }
    return run_with("images", {settings.begin(), settings.end()});
  };
  EXPECT_THAT(names_of({list_run(nullptr), list_run(R"(["environment"])")}), ElementsAre("images", "images"))
      << "runs that do not name columns have the usual ones";
  EXPECT_THAT(names_of({list_run(nullptr), list_run(R"(["year"])")}),
              ElementsAre("images (environment 'environment')", "images (environment 'year')"));
}

TEST(DatasetNames, OfOtherDatasetsStay) {
  EXPECT_THAT(
      names_of({run_with("RotatedMNIST", {{"folder", R"("/a")"}}),
                run_with("RotatedMNIST", {{"folder", R"("")"}}), run_with("PACS", {{"data_root", R"("/a")"}}),
                run_with("PACS", {{"data_root", R"("/b")"}})}),
      ElementsAre("RotatedMNIST", "RotatedMNIST", "PACS", "PACS"));
}

TEST(DatasetNames, DecideWhichRunsCompete) {
  History history{table_run("/a/mine.csv", "11"), table_run("/a/other.csv", "22"),
                  table_run("/a/mine.csv", "11")};
  history[2].hparams_seed = 1;
  name_methods(history);
  const Selection selection = train_domain(history);
  ASSERT_EQ(selection.decisions.size(), 2U);
  EXPECT_EQ(selection.decisions[0].dataset, "table (mine.csv)");
  EXPECT_EQ(selection.decisions[0].candidates.size(), 2U);
  EXPECT_EQ(selection.decisions[1].candidates.size(), 1U);
  EXPECT_THAT(tables_of(selection, history).front().heading, StartsWith("Dataset: table (mine.csv), model "));
  name_methods(history);
  EXPECT_EQ(history[0].dataset, "table (mine.csv)") << "names are given once";
  EXPECT_EQ(history[0].recorded_dataset(), "table");
}

}  // namespace
}  // namespace pair::select::dataset_names_test
