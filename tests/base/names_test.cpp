#include "pair/base/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace pair::base::names_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array<std::string_view, 4> known{"epo", "epo_smooth", "linear", "mgda"};

TEST(EditDistance, CountsSingleSlips) {
  EXPECT_EQ(edit_distance("epo", "epo"), 0U);
  EXPECT_EQ(edit_distance("epoo", "epo"), 1U);      // one too many
  EXPECT_EQ(edit_distance("lnear", "linear"), 1U);  // one too few
  EXPECT_EQ(edit_distance("mgds", "mgda"), 1U);     // one wrong
  EXPECT_EQ(edit_distance("mdga", "mgda"), 1U);     // neighbours swapped
}

TEST(EditDistance, IsSymmetricAndBoundedByTheLongerName) {
  EXPECT_EQ(edit_distance("", "linear"), 6U);
  EXPECT_EQ(edit_distance("linear", ""), 6U);
  EXPECT_EQ(edit_distance("abc", "xyz"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), edit_distance("sitting", "kitten"));
}

TEST(LowerCase, ChangesOnlyTheLettersAToZ) {
  EXPECT_EQ(lower_case("St. MARY-9_Ä@[`{"), "st. mary-9_Ä@[`{");
  EXPECT_EQ(plain_name("IB_ERM"), "iberm");
}

TEST(NearestName, IsTheOneThatASlipAwayWasMeant) {
  EXPECT_EQ(nearest("epo-smooth", known), "epo_smooth");
  EXPECT_EQ(nearest("linaer", known), "linear");
  EXPECT_EQ(nearest("ep", known), "epo");
}

TEST(NearestName, DoesNotDependOnCaseAndPunctuation) {
  const std::vector<std::string_view> names{"erm", "pair", "ColoredMNIST", "größe", "Größe"};
  EXPECT_EQ(nearest("PAIR-o", names), "pair");
  EXPECT_EQ(nearest("colored_mnist", names), "ColoredMNIST");
  EXPECT_EQ(nearest("Grösse", names), "Größe");
}

TEST(NearestName, MayBeginWithTheOther) {
  const std::vector<std::string_view> names{"--environments", "--environment", "--batch", "--lr"};
  EXPECT_EQ(nearest("--env", names), "--environment");
  EXPECT_EQ(nearest("--batch-size", names), "--batch");
  EXPECT_EQ(nearest("--lr-decay", names), "") << "too little in common";
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest("transformer", known), "");
  EXPECT_EQ(nearest("", known), "");
  const std::vector<std::string_view> letters{"a", "b", "id"};
  EXPECT_EQ(nearest("y", letters), "") << "no letter of it is right";
  EXPECT_EQ(nearest("ix", letters), "id");
  EXPECT_EQ(nearest("epo", {}), "");
  EXPECT_EQ(nearest(std::string(100000, 'e'), known), "");
}

TEST(UnknownName, IsAnsweredWithTheNearestAndAllKnownOnes) {
  EXPECT_EQ(unknown_name("solver", "epoo", known),
            "unknown solver 'epoo'; did you mean 'epo'? Known: epo, epo_smooth, linear, mgda");
  EXPECT_EQ(unknown_name("solver", "transformer", known),
            "unknown solver 'transformer'. Known: epo, epo_smooth, linear, mgda");
}

TEST(UnknownName, StaysOneReadableSentenceForAnyInput) {
  const std::string message = unknown_name("solver", "a\nb\x1b[31m\x7f", known);
  EXPECT_THAT(message, HasSubstr("'a?b?[31m?'"));
  const std::string long_one = unknown_name("solver", std::string(1000, 'x'), known);
  EXPECT_THAT(long_one, HasSubstr("xxx...'"));
  EXPECT_THAT(long_one, Not(HasSubstr(std::string(61, 'x'))));
}

TEST(Shortened, DoesNotCutInsideACharacter) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc...");
  EXPECT_EQ(shortened("ab\u00e9d", 3), "ab...");
  EXPECT_EQ(shortened("ab\u00e9d", 4), "ab\u00e9...");
  EXPECT_EQ(shortened("\U0001F600x", 3), "...");
  EXPECT_EQ(beginning("\U0001F600x", 4), "\U0001F600");
  EXPECT_EQ(shortened("\x80\x80\x80\x80\x80\x80\x80", 5), "\x80\x80\x80\x80\x80...") << "not UTF-8";
  EXPECT_EQ(shortened("", 0), "");
}

TEST(Printable, KeepsTextInAnyScript) {
  EXPECT_EQ(printable("sweep/größe_μ-日本 🙂"), "sweep/größe_μ-日本 🙂");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ReplacesWhatATerminalActsOn) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\x7f"), "a?b?c?[31m?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m")
      << "the control sequence introducer as one character";
  // NOLINTNEXTLINE(misc-misleading-bidirectional): such a character is tested
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "txt"),
            "?txt")
      << "writing from right to left";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\x9b\xff"), "a??");
  EXPECT_EQ(printable("\xc0\xaf"), "??") << "longer than need be";
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "half of a pair";
  EXPECT_EQ(printable("\xe6\x97"), "??") << "cut off";
}

}  // namespace
}  // namespace pair::base::names_test
