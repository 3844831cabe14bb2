#include "pair/cli/lines.h"

#include <gtest/gtest.h>

#include <sstream>
#include <utility>
#include <vector>

namespace pair::cli::lines_test {
namespace {

using Found = LineReader::Found;

std::vector<std::pair<Found, std::string>> read(const std::string& text, std::size_t longest) {
  std::stringbuf source(text);
  LineReader reader(source, longest);
  std::vector<std::pair<Found, std::string>> lines;
  for (Found found = reader.next(); found != Found::end; found = reader.next()) {
    EXPECT_EQ(reader.number(), lines.size() + 1);
    lines.emplace_back(found, reader.line());
  }
  return lines;
}

TEST(LineReader, FindsNoLineInNothing) {
  EXPECT_TRUE(read("", 10).empty());
}

TEST(LineReader, TakesTheLastLineWithOrWithoutItsEnd) {
  const std::vector<std::pair<Found, std::string>> expected{
      {Found::line, "one"}, {Found::line, ""}, {Found::line, "three"}};
  EXPECT_EQ(read("one\n\nthree\n", 10), expected);
  EXPECT_EQ(read("one\n\nthree", 10), expected);
}

TEST(LineReader, DropsTheRestOfALineThatIsTooLongAndContinues) {
  const std::vector<std::pair<Found, std::string>> expected{
      {Found::line, "1234"}, {Found::too_long, "1234"}, {Found::line, "next"}};
  EXPECT_EQ(read("1234\n123456789\nnext", 4), expected);
}

}  // namespace
}  // namespace pair::cli::lines_test
