#include "pair/base/tables.h"

#include <gtest/gtest.h>

namespace pair::base::tables_test {
namespace {

const Rows rows{{"name", "n", "mean"}, {"a", "12", "0.5"}, {"größe", "3", ""}};

TEST(AlignedTable, IsAsWideAsItsWordsAndCountsCharacters) {
  EXPECT_EQ(aligned(rows),
            "name   n   mean\n"
            "a      12  0.5\n"
            "größe  3\n");
}

TEST(AlignedTable, PutsNumbersToTheRight) {
  EXPECT_EQ(aligned(rows, {.indent = "  ", .gap = 3, .left = 1, .rule = true}),
            "  name     n   mean\n"
            "  -----------------\n"
            "  a       12    0.5\n"
            "  größe    3\n");
}

TEST(AlignedTable, HasColumnsOfALeastWidth) {
  EXPECT_EQ(aligned({{"name", "n"}, {"something", "1"}}, {.least = 6}), "name       n\nsomething  1\n");
  EXPECT_EQ(aligned({{"a", "b", "c"}}, {.least = 3}), "a    b    c\n");
}

TEST(AlignedTable, TakesNoRowsAndShortRows) {
  EXPECT_EQ(aligned({}), "");
  EXPECT_EQ(aligned({{"a", "b"}, {"c"}}), "a  b\nc\n");
}

TEST(MarkdownTable, TakesWordsOfSeveralLinesAndEmptyOnes) {
  EXPECT_EQ(markdown({{"a", ""}, {"two\nlines", "1"}}), "| a | |\n|---|---|\n| two lines | 1 |\n");
}

TEST(MarkdownTable, EscapesItsBars) {
  EXPECT_EQ(markdown({{"a|b", "n"}, {"c", "1"}}), "| a\\|b | n |\n|---|---|\n| c | 1 |\n");
  EXPECT_EQ(markdown({{"a", "n"}}, /*right=*/true), "| a | n |\n|---|---:|\n");
}

TEST(CsvValue, IsQuotedWhereItMustBe) {
  EXPECT_EQ(csv_value("plain text;"), "plain text;");
  EXPECT_EQ(csv_value(""), "");
  EXPECT_EQ(csv_value("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_value("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_value("two\nlines"), "\"two\nlines\"");
}

TEST(Joined, HasTheSeparatorBetweenWordsAlone) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(joined(std::vector<std::string>{"", "b", ""}), ", b, ");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, ";"), "a;b");
  EXPECT_EQ(joined(std::vector<int>{1, 2}, ", ", [](int i) { return std::to_string(i); }), "1, 2");
}

}  // namespace
}  // namespace pair::base::tables_test
