#include "pair/data/table.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "tests/data/fixtures.h"

namespace pair::data::testing {
namespace {

using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using ::testing::Not;
using ::testing::ThrowsMessage;

Table table_of(std::string_view text, const TableReading& reading = {}) {
  const Scratch scratch;
  write(scratch.path() / "x.csv", bytes_of(text));
  return read_table(scratch.path() / "x.csv", reading);
}

auto refused(std::string_view sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(std::string(sentence)));
}

TEST(Table, ColumnsOfNumbersAreNumbers) {
  const Table table = table_of("age, weight \n50,70.5\n 61 ,-1e2\n");
  EXPECT_EQ(table.rows, 2U);
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[1].name, "weight");
  EXPECT_EQ(table.columns[1].kind, ColumnKind::number);
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(50, 61));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(70.5, -100));
}

TEST(Table, OtherColumnsAreCategories) {
  const Table table = table_of("sex,site\nF,1a\nM,2\n F ,1a\n");
  const Column& sex = *table.find("sex");
  EXPECT_EQ(sex.kind, ColumnKind::category);
  EXPECT_THAT(sex.categories, ElementsAre("F", "M"));
  EXPECT_THAT(sex.codes, ElementsAre(0, 1, 0));
  EXPECT_THAT(table.find("site")->categories, ElementsAre("1a", "2"));
  EXPECT_EQ(table.find("age"), nullptr);
}

TEST(Table, MissingCellsAreNeitherNumbersNorCategories) {
  const Table table = table_of("a,b\nNA,\n1,x\n\"\",null\n");
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(IsNan(), DoubleEq(1), IsNan()));
  EXPECT_THAT(table.columns[1].codes, ElementsAre(missing_category, 0, missing_category));
  EXPECT_EQ(table.columns[0].missing, 2U);
  EXPECT_EQ(table.columns[1].missing, 2U);
}

TEST(Table, NumbersBelowWhichTextStandsAreCategoriesAsTheyWereTyped) {
  const Table table = table_of("code,n\n01,1\n,2\n1,3\nunknown,4\n");
  const Column& code = *table.find("code");
  EXPECT_EQ(code.kind, ColumnKind::category);
  EXPECT_THAT(code.categories, ElementsAre("01", "1", "unknown"));
  EXPECT_THAT(code.codes, ElementsAre(0, missing_category, 1, 2));
  EXPECT_EQ(code.missing, 1U);
  EXPECT_THAT(table.find("n")->numbers, ElementsAre(1, 2, 3, 4));
}

TEST(Table, NumbersCanBeReadAsText) {
  const Table table = table_of("year\n2019\n2020\n2019\n", {.environment = {"year"}});
  EXPECT_THAT(table.columns[0].categories, ElementsAre("2019", "2020"));
}

TEST(Table, ColumnsCanBeLeftOut) {
  const Table table = table_of("id,a,b\nx,1,2\n", {.ignore = {"id", "b"}});
  ASSERT_EQ(table.columns.size(), 1U);
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1));
  EXPECT_EQ(table_of("id,a,b\nx,1,2\n", {.only = {"b"}}).columns.size(), 1U);
}

TEST(Table, ColumnsWithoutANameAreLeftOut) {
  const Table table = table_of(",a\n0,5\n1,6\n");
  ASSERT_EQ(table.columns.size(), 1U);
  EXPECT_EQ(unnamed_note(table), "columns without a name are left out: 1 (counted from 1)");
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(5, 6));
}

TEST(Table, RefusesAFileWithoutRowsOrNames) {
  EXPECT_THAT([] { (void)table_of(""); },
              refused("x.csv: expected a row of column names and rows below it, got nothing"));
  EXPECT_THAT([] { (void)table_of("a,b\n"); },
              refused("x.csv: expected rows below the column names, got none"));
  EXPECT_THAT([] { (void)table_of(",\n1,2\n"); }, refused("line 1: expected column names, got none"));
}

TEST(Table, RefusesANameThatComesTwice) {
  EXPECT_THAT([] { (void)table_of("a,b, a\n1,2,3\n"); },
              refused("line 1: expected column names that differ, got 'a' twice"));
}

TEST(Table, ListsTheColumnsWhereOneDoesNotExist) {
  EXPECT_THAT([] { (void)table_of("id,age\n1,2\n", {.ignore = {"ages"}}); },
              refused("x.csv, which has 'id' and 'age', got 'ages'; did you mean 'age'?"));
}

TEST(Table, RefusesNumbersThatAreNotFinite) {
  EXPECT_THAT([] { (void)table_of("a\n1\n-inf\n"); },
              refused("line 3: column 'a': expected a finite number or nothing, got '-inf'"));
  EXPECT_THAT([] { (void)table_of("a\n1e999\n"); }, refused("line 2: column 'a': expected a finite number"));
}

TEST(Table, AnInputWithTooManyCategoriesHasNoCodes) {
  std::string text = "patient,age\n";
  for (int i = 10; i < 30; ++i) {
    text += "p" + std::to_string(i) + "," + std::to_string(i) + "\n";
  }
  const Table table = table_of(text, {.most_categories = 10});
  EXPECT_EQ(table.rows, 20U);
  EXPECT_EQ(table.columns[0].full_line, 12U);
  EXPECT_EQ(table.columns[0].categories.size(), 10U);
  EXPECT_TRUE(table.columns[0].codes.empty());
  EXPECT_EQ(table.columns[1].full_line, 0U) << "numbers";
  EXPECT_EQ(table.columns[1].numbers.size(), 20U);
}

TEST(Table, KnowsTheFirstCellThatIsNotANumber) {
  const Table table = table_of("a,b,c\n1,x,\n,2,5\n?,y,6\nz,3,7\n", {.most_categories = 3});
  EXPECT_EQ(table.find("a")->text, "?");
  EXPECT_EQ(table.find("a")->text_line, 4U);
  EXPECT_EQ(table.find("b")->text, "x");
  EXPECT_EQ(table.find("b")->text_line, 2U);
  EXPECT_EQ(table.find("c")->text_line, 0U);
  const Table full = table_of("a\n1\n2\n3\n4\n3O\n", {.most_categories = 3});
  EXPECT_EQ(full.find("a")->text_line, 6U) << "after its categories are too many";
  EXPECT_EQ(full.find("a")->full_line, 5U);
}

TEST(Table, ColumnsToIgnoreAreOneWordOfAShell) {
  EXPECT_EQ(ignore_option({"id"}), "--ignore id");
  EXPECT_EQ(ignore_option({"id", "date_1"}), "--ignore id,date_1");
  EXPECT_EQ(ignore_option({"patient id", "visit date", "constant"}),
            "--ignore 'patient id,visit date,constant'");
  EXPECT_EQ(ignore_option({"Weight, kg", "x"}), "--ignore '\"Weight, kg\",x'");
  EXPECT_EQ(ignore_option({"it's"}), "--ignore 'it'\\''s'");
}

TEST(Table, DoesNotAdviseToLeaveOutTheLabelOrTheEnvironment) {
  std::string ids = "patient,age\n";
  for (int i = 10; i < 30; ++i) {
    ids += "p" + std::to_string(i) + "," + std::to_string(i) + "\n";
  }
  const auto refuses = [&](const TableReading& reading, const char* sentence) {
    EXPECT_THAT([&] { (void)table_of(ids, reading); },
                ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr(sentence), Not(HasSubstr("--ignore")))));
  };
  refuses(
      {.label = "patient", .most_categories = 10},
      "label 'patient': expected at most 10 categories, got more by line 12, such as 'p10'; '--label' can "
      "name another column");
  refuses({.environment = {"patient"}, .most_categories = 10},
          "environment 'patient': expected at most 10 categories, got more by line 12, such as 'p10'; "
          "'--environment' can name a column with few values");
}

TEST(Table, SaysHowNumbersOfALabelAreWritten) {
  std::string text = "y,age\n";
  for (int i = 0; i < 20; ++i) {
    text += (i == 0 ? "\"1,234\"" : "\"" + std::to_string(i) + ",5\"") + ",1\n";
  }
  EXPECT_THAT([&] { (void)table_of(text, {.label = "y", .most_categories = 10}); },
              refused("label 'y': expected numbers, got cells such as '1,5', which look like numbers with a "
                      "decimal comma; write them with a point"));
}

TEST(Table, KnowsTheLineOfTheFirstMissingCell) {
  const Table table = table_of("a,b,c\n1,x,1\n,\"y\nz\",1\n3,NA,1\n,,1\n");
  EXPECT_EQ(table.find("a")->missing_line, 3U);
  EXPECT_EQ(table.find("b")->missing_line, 5U) << "a row may take several lines";
  EXPECT_EQ(table.find("c")->missing_line, 0U);
  EXPECT_EQ(missing_rows(*table.find("a")), "2 rows without, the first in line 3");
  // Also where a column turns out to be text late, and is read again.
  const Table mixed = table_of("a\n1\n\"\"\nx\nNA\n");
  EXPECT_EQ(missing_rows(*mixed.find("a")), "2 rows without, the first in line 3");
  EXPECT_EQ(missing_rows(*table_of("a,b\n1,2\n,2\n").find("a")), "1 row without, in line 3");
}

TEST(Table, RefusesMoreCellsThanItMayHold) {
  EXPECT_THAT([] { (void)table_of("a,b\n1,2\n3,4\n5,6\n", {.most_cells = 4}); },
              refused("expected at most 4 cells, got more by line 4"));
}

TEST(Table, NamesInSentencesAreBounded) {
  EXPECT_EQ(quoted_names({"a"}), "'a'");
  EXPECT_EQ(quoted_names({"a", "b", "c"}), "'a', 'b' and 'c'");
  EXPECT_EQ(quoted_names({"a", "b", "c", "d"}, 2), "'a', 'b' and 2 more");
  EXPECT_THAT(quoted_names({std::string(1000, 'x'), "\x1b[2J"}),
              AllOf(HasSubstr("xxx...'"), HasSubstr("'?[2J'"), Not(HasSubstr(std::string(50, 'x')))));
}

TEST(Table, NamesAreSortedBySizeWhereAllAreNumbers) {
  std::vector<std::string> years{"10", "9", "2020"};
  sort_names(years);
  EXPECT_THAT(years, ElementsAre("9", "10", "2020"));
  std::vector<std::string> names{"10", "9", "x"};
  sort_names(names);
  EXPECT_THAT(names, ElementsAre("10", "9", "x"));
}

}  // namespace
}  // namespace pair::data::testing
