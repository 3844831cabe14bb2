#include "pair/cli/train_data.h"

#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/scratch.h"

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
  refuses((scratch / "p.xlsx").string(), "", "the program that wrote it can export CSV");
  refuses(scratch.path().string(), "table", "--data: expected a file for dataset table");
  refuses(scratch.path().string(), "nosuch", "unknown dataset 'nosuch'");
}

}  // namespace
}  // namespace pair::cli
