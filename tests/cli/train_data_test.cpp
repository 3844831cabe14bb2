#include "pair/cli/train_data.h"

#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>

#include "pair/cli/train_arguments.h"
#include "pair/cli/train_specs.h"
#include "pair/runs/settings.h"
#include "tests/support/scratch.h"
#include "tests/support/without_permissions.h"

namespace pair::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::string> hospitals{"Eastside", "Lakeview, North", "St. Mary"};

TEST(TrainData, EnvironmentsAreNamedByNameOrNumber) {
  EXPECT_THAT(environments_named("St. Mary", hospitals), ElementsAre(2));
  EXPECT_THAT(environments_named(" 1 ", hospitals), ElementsAre(1));
  EXPECT_THAT(environments_named("St. Mary, 0", hospitals), ElementsAre(2, 0));
}

TEST(TrainData, ANameMayHaveAComma) {
  EXPECT_THAT(environments_named("Lakeview, North", hospitals), ElementsAre(1));
  EXPECT_THAT(environments_named("\"Lakeview, North\",Eastside", hospitals), ElementsAre(1, 0));
}

TEST(TrainData, ANameGoesBeforeANumber) {
  EXPECT_THAT(environments_named("2", {"1", "2", "3"}), ElementsAre(1));
  EXPECT_THAT(environments_named("0", {"1", "2", "3"}), ElementsAre(0));
}

TEST(TrainData, ListsTheEnvironmentsWhereOneIsNotKnown) {
  EXPECT_THAT([] { (void)environments_named("Mary", hospitals); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("expected environments ('Eastside', 'Lakeview, North' and "
                            "'St. Mary', or numbers from 0 to 2) or each, got 'Mary'")));
  EXPECT_THAT([] { (void)environments_named("3", hospitals); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got '3'")));
  EXPECT_THAT([] { (void)environments_named("-1", hospitals); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got '-1'")));
}

TEST(TrainData, AFileIsATableAndAFolderIsPictures) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  const NamedData table = data_named((scratch / "p.csv").string(), "");
  EXPECT_EQ(table.dataset, "table");
  EXPECT_EQ(table.setting, runs::Override("file", (scratch / "p.csv").string()));
  EXPECT_EQ(table.more.at(0).first, "file_sha256");
  const NamedData images = data_named(scratch.path().string(), "");
  EXPECT_EQ(images.dataset, "images");
  EXPECT_EQ(images.setting, runs::Override("folder", scratch.path().string()));
  EXPECT_EQ(data_named(scratch.path().string(), "ColoredMNIST").dataset, "ColoredMNIST");
}

TEST(TrainData, RefusesOtherData) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.xlsx") << "PK";
  const auto refuses = [](const std::string& path, std::string_view dataset, const char* sentence) {
    EXPECT_THAT([&] { (void)data_named(path, dataset); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses((scratch / "none").string(), "", "which does not exist");
  refuses("/dev/null", "", "which is a device or pipe");
  namespace fs = std::filesystem;
  fs::permissions(scratch.path(), fs::perms::all);
  fs::create_directory(scratch / "closed");
  fs::permissions(scratch / "closed", fs::perms::none);
  {
    const tests::WithoutPermissions nobody;
    refuses((scratch / "closed/p.csv").string(), "", "which cannot be read: Permission denied");
  }
  refuses((scratch / "p.xlsx").string(), "", "the program that wrote it can export CSV");
  refuses(scratch.path().string(), "table", "--data: expected a file for dataset table");
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  refuses((scratch / "p.csv").string(), "ColoredMNIST", "--data: expected a folder for dataset ColoredMNIST");
  for (const std::string& path : {scratch.path().string(), (scratch / "p.csv").string()}) {
    refuses(path, "cmnist", "--data: expected no data for dataset cmnist, which has its own, got '");
  }
  refuses(scratch.path().string(), "nosuch", "unknown dataset 'nosuch'");
}

TEST(TrainData, PathsAndDigestsOfDataAreSettled) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  const std::string file = (scratch / "x/../p.csv").string();
  std::vector<runs::Override> settings{
      {"steps", "3"}, {"file", file}, {"folder", "pets"}, {"manifest", "none"}};
  make_data_paths_absolute(settings);
  EXPECT_EQ(settings[1].second, (scratch / "p.csv").string());
  EXPECT_TRUE(std::filesystem::path(settings[2].second).is_absolute());
  EXPECT_EQ(settings[3].second, "none");
  add_data_digests(settings);
  ASSERT_EQ(settings.size(), 5U);
  EXPECT_EQ(settings[4].first, "file_sha256");
  EXPECT_EQ(settings[4].second.size(), 64U);
  add_data_digests(settings);
  EXPECT_EQ(settings.size(), 5U) << "once";
  std::vector<runs::Override> missing{{"file", (scratch / "none.csv").string()}};
  EXPECT_THAT([&] { add_data_digests(missing); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("file: expected a CSV file, got")));
}

TEST(TrainData, FilesOfTrainAreStoredByAbsolutePathAndDigest) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "y,site,x\n1,a,1\n0,a,2\n1,b,3\n0,b,4\n1,c,5\n0,c,6\n";
  TrainArguments arguments;
  arguments.dataset = "table";
  arguments.dataset_given = true;
  arguments.set = {"file=" + std::filesystem::relative(scratch / "p.csv").string(), "label=y",
                   "environment=site"};
  const std::vector<runs::RunSpec> specs = specs_of(arguments);
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_EQ(runs::text_of(specs[0], "file"), (scratch / "p.csv").string());
  EXPECT_EQ(runs::text_of(specs[0], "file_sha256").size(), 64U);
}

TEST(TrainData, AColumnOfTextsMakesAFileTheDatasetText) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  std::vector<runs::Override> settings{{"text", "a"}};
  EXPECT_EQ(add_named_data((scratch / "p.csv").string(), "", settings), "text");
  EXPECT_EQ(settings.front(), runs::Override("file", (scratch / "p.csv").string()));
  EXPECT_EQ(settings.back(), runs::Override("text", "a"));
}

TEST(TrainData, FixedTestEnvironmentsAreNotChosen) {
  const std::string text = "0";
  EXPECT_THAT(
      [&] { (void)with_test_environments(runs::resolve("cmnist", "erm"), &text); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("--test-envs: cmnist has fixed test environments (")));
}

}  // namespace
}  // namespace pair::cli
