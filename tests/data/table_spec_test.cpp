#include "pair/data/table_spec.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <stdexcept>

#include "pair/base/process.h"
#include "pair/base/registry.h"
#include "tests/data/table_file.h"

namespace pair::data::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

auto refusal(std::string_view sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(std::string(sentence)));
}

TEST(TableSpec, RefusesWhatIsNotGiven) {
  const TableFile file;
  const auto refuses = [&](TableSpec spec, const char* sentence) {
    EXPECT_THAT([&] { validate(spec); }, refusal(sentence));
  };
  TableSpec spec = file.spec();
  spec.file.clear();
  refuses(spec, "file: expected a CSV file, got none; '--data FILE' names it");
  spec = file.spec();
  spec.label.clear();
  refuses(spec, "label: expected the column to predict, got none; '--label COLUMN' names it; ");
  spec = file.spec();
  spec.environment.clear();
  refuses(spec, "environment: expected the column that says where a row is from, got none");
}

TEST(TableSpec, RefusesColumnsThatDoNotExistOrAreUsedTwice) {
  const TableFile file;
  const auto refuses = [&](auto change, const char* sentence) {
    TableSpec spec = file.spec();
    change(spec);
    EXPECT_THAT([&] { validate(spec); }, refusal(sentence));
  };
  refuses([](TableSpec& spec) { spec.label = "outcom"; },
          "which has 'id', 'hospital', 'year', 'age', 'sex' and 'outcome', got 'outcom'; did you mean "
          "'outcome'?");
  refuses([](TableSpec& spec) { spec.environment = {"clinic"}; }, "environment: expected a column of ");
  refuses([](TableSpec& spec) { spec.ignore = {"clinic"}; }, "ignore: expected a column of ");
  refuses([](TableSpec& spec) { spec.environment = {"outcome"}; },
          "environment: expected columns that are not the label, got 'outcome'");
  refuses(
      [](TableSpec& spec) {
        spec.environment = {"year", "year"};
      },
      "expected columns that differ, got 'year'");
  refuses([](TableSpec& spec) { spec.ignore = {"outcome"}; },
          "ignore: expected columns that are not the label");
  refuses([](TableSpec& spec) { spec.ignore = {"hospital"}; },
          "ignore: expected columns that are not the environment");
}

base::Options table_options(const std::vector<std::pair<std::string, std::string>>& changes) {
  return base::with_changes(base::Options::of<TableSpec>(), changes);
}

TEST(TableSpec, ListsOfColumnsAreTypedAsARowOfCsv) {
  EXPECT_THAT(table_options({{"ignore", "id, date"}}).as<TableSpec>().ignore, ElementsAre("id", "date"));
  EXPECT_THAT(table_options({{"ignore", "\"Weight, kg\",id"}}).as<TableSpec>().ignore,
              ElementsAre("Weight, kg", "id"));
  EXPECT_THAT(table_options({{"ignore", "none"}}).as<TableSpec>().ignore, SizeIs(0));
  EXPECT_THAT(
      [] {
        (void)table_options({{"ignore", "a,,b"}});
      },
      refusal("ignore: expected none, or names of columns"));
  EXPECT_THAT([] { (void)table_options({{"ignore", "\"a"}}); }, refusal("ignore: expected none, or names"));
}

// As a person pastes the advice of a message: the shell reads the word, then the option is parsed.
TEST(TableSpec, ReadsTheColumnsThatAMessageLeavesOut) {
  if (!base::is_installed("bash")) {
    GTEST_SKIP() << "bash is not installed";
  }
  for (const std::vector<std::string>& columns : std::vector<std::vector<std::string>>{
           {"Weight\n(kg)"},
           {"line\r\nend", "a\tb", "it's \\n", "Gr\303\266\303\237e\n", "\x1b[2J7", "\xe2\x80\xa8x"},
           {"end\n", "x"},
           {"none"},
           {"none", "x"},
           {"Weight, kg", "it's", "a \"b\""}}) {
    const std::string option = ignore_option(columns);
    EXPECT_EQ(option.find_first_of("\n\r\t\x1b"), std::string::npos) << option;
    const base::Finished shell = base::run_program(
        {"bash", "-c", "set -- " + option + "; printf '%s' \"$2\""}, std::filesystem::temp_directory_path());
    ASSERT_EQ(shell.status, 0) << shell.output;
    EXPECT_EQ(table_options({{"ignore", shell.output}}).as<TableSpec>().ignore, columns) << option;
  }
  EXPECT_EQ(ignore_option({"Weight\n(kg)"}), "--ignore $'\"Weight\\n(kg)\"'");
  EXPECT_EQ(ignore_option({"none"}), "--ignore '\"none\"'");
}

TEST(TableSpec, AnEmptyListIsCalledNone) {
  const base::Options options = table_options({});
  EXPECT_EQ(base::as_text(options.get(*options.find("ignore"))), "none");
}

TEST(TableSpec, RefusesOptionsOutsideOfTheirRanges) {
  EXPECT_THAT(
      [] {
        (void)table_options({{"task", "ranking"}});
      },
      refusal("task: expected auto, classification or regression, got 'ranking'"));
  EXPECT_THAT([] { (void)table_options({{"holdout", "1"}}); }, refusal("holdout: expected a number above 0"));
  EXPECT_THAT(
      [] {
        (void)table_options({{"max_categories", "1"}});
      },
      refusal("max_categories: expected an integer"));
  EXPECT_THAT([] { (void)table_options({{"separator", "|"}}); }, refusal("separator: expected auto, comma"));
  EXPECT_THAT(
      [] {
        (void)table_options({{"file_sha256", "abc"}});
      },
      refusal("file_sha256: expected nothing, or"));
}

}  // namespace
}  // namespace pair::data::testing
