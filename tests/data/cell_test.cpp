#include "pair/data/cell.h"

#include <gmock/gmock.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "pair/data/random.h"

namespace pair::data {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(Cell, SpacesAndTabsAroundItAreNotPartOfIt) {
  EXPECT_EQ(trimmed_cell(" \tSt. Mary "), "St. Mary");
  EXPECT_EQ(trimmed_cell("  "), "");
}

TEST(Cell, IsMissingByTheWordsThatPandasTakes) {
  for (const char* word : {"", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None",
                           "<NA>", "#N/A", "#NA", "#N/A N/A", "1.#QNAN", "-1.#QNAN", "1.#IND", "-1.#IND"}) {
    EXPECT_TRUE(is_missing(word)) << word;
  }
  for (const char* word : {"0", "na", "none", "Namibia", "-", "?", "missing"}) {
    EXPECT_FALSE(is_missing(word)) << word;
  }
}

TEST(Cell, ANumberHasADecimalPoint) {
  EXPECT_THAT(number_of("12"), Optional(12.0));
  EXPECT_THAT(number_of("-0.5"), Optional(-0.5));
  EXPECT_THAT(number_of("+1e-3"), Optional(1e-3));
  EXPECT_THAT(number_of(".5"), Optional(0.5));
  EXPECT_THAT(number_of("5."), Optional(5.0));
  EXPECT_THAT(number_of("007"), Optional(7.0));
  EXPECT_THAT(number_of("1E5"), Optional(1e5));
  EXPECT_TRUE(std::signbit(number_of("-0").value()));
}

TEST(Cell, OtherTextIsNotANumber) {
  for (const char* text :
       {"",      "-",   "+",   ".",   "-.",  "1,5", "1 000", "0x10",     "1e",   "1e+", "e5",
        "1.2.3", "--1", "+-1", "inf", "nan", "12a", "1_000", "infinity", "-inf", "٣"}) {
    EXPECT_EQ(number_of(text), std::nullopt) << text;
  }
}

TEST(Cell, ANumberOutsideOfDoublesIsInfiniteOrZero) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(number_of("1e400"), Optional(infinity));
  EXPECT_THAT(number_of("-1e400"), Optional(-infinity));
  EXPECT_THAT(number_of("1e-400"), Optional(0.0));
  EXPECT_THAT(number_of(std::string(400, '9')), Optional(infinity));
}

// The standard library's conversion is the reference; ours takes another way for short numbers.
TEST(Cell, ANumberIsTheNearestDouble) {
  Random random(0, "cell");
  for (int i = 0; i < 200'000; ++i) {
    std::string text = random.bernoulli(0.5) ? "" : "-";
    const std::uint64_t before = random.below(20);
    const std::uint64_t after = random.below(28);
    for (std::uint64_t d = 0; d <= before; ++d) {
      text += static_cast<char>('0' + random.below(10));
    }
    text += '.';
    for (std::uint64_t d = 0; d < after; ++d) {
      text += static_cast<char>('0' + random.below(random.bernoulli(0.5) ? 10 : 1));
    }
    if (random.bernoulli(0.2)) {
      text += "e" + std::to_string(static_cast<int>(random.below(700)) - 350);
    }
    double expected = 0.0;
    if (std::from_chars(text.data(), text.data() + text.size(), expected).ec == std::errc()) {
      ASSERT_THAT(number_of(text), Optional(Eq(expected))) << text;
    }
  }
}

TEST(Cell, KnowsNumbersThatHaveNoDecimalPoint) {
  for (const char* text : {"12,38", "0,5", "0,125", "-1,5", "1.234,5", "1.234.567,25", "1234,5"}) {
    EXPECT_EQ(number_form(text), NumberForm::decimal_comma) << text;
  }
  for (const char* text : {"1,234.5", "-12,345,678", "+1,234.5"}) {
    EXPECT_EQ(number_form(text), NumberForm::thousands) << text;
  }
  EXPECT_EQ(number_form("-1,234"), NumberForm::comma);
  for (const char* text : {"17%", "-2.5 %", "2,5%"}) {
    EXPECT_EQ(number_form(text), NumberForm::percent) << text;
  }
  for (const char* text : {"", "%", ",", "12", "1.5", "1,2,3", "1,23,456", "1.2,3.4", "a,5", "5 m", "<0,5",
                           "1,234.5.6", "12,345,67", "17%%x", "5%%", "5% %", "2,5%%"}) {
    EXPECT_EQ(number_form(text), std::nullopt) << text;
  }
  EXPECT_EQ(number_form(std::string(1'000'000, '%')), std::nullopt);
}

TEST(Cell, KnowsWordsForInfinity) {
  EXPECT_TRUE(is_infinite_word("inf"));
  EXPECT_TRUE(is_infinite_word("-Infinity"));
  EXPECT_FALSE(is_infinite_word("information"));
}

TEST(Cell, KnowsDates) {
  for (const char* text :
       {"2021-03-04", "2021/3/4", "2021-03-04 10:15", "2021-03-04T10:15:30.25Z", "2021-03-04 10:15:30+01:00",
        "4.3.2021", "04.03.21", "03/04/21", "12/31/1999", "31/12/1999 23:59", "20210304T1015", "4 Mar 2021",
        "04-Mar-21", "Mar 4, 2021", "March 4, 2021", "12/31/1999 11:59 PM"}) {
    EXPECT_TRUE(looks_like_date(text)) << text;
  }
  for (const char* text :
       {"2021", "20210304", "1.2.3", "192.168.1.1", "2021-13-04", "2021-03", "33/33/2021", "1-2", "A-12-34",
        "Mar", "Marvin 2 3 4", "555-1234", "12:30", "2021-03-04 at noon", "10.5"}) {
    EXPECT_FALSE(looks_like_date(text)) << text;
  }
}

}  // namespace
}  // namespace pair::data
