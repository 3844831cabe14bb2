#include "pair/base/choices.h"

#include <gmock/gmock.h>

#include <array>

namespace pair::base::choices_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::array<std::string_view, 3> known{"paper", "score", "validation"};

TEST(Choices, AreListedAsInASentence) {
  EXPECT_EQ(alternatives(known), "paper, score or validation");
  EXPECT_EQ(alternatives(std::span(known).first(2)), "paper or score");
  EXPECT_EQ(alternatives(std::span(known).first(1)), "paper");
  EXPECT_EQ(alternatives({}), "");
}

TEST(Choices, NameTheNearestOne) {
  EXPECT_EQ(unexpected_name("--across", "scores", known),
            "--across: expected paper, score or validation, got 'scores'; did you mean 'score'?");
  EXPECT_EQ(unexpected_name("across", "", known), "across: expected paper, score or validation, got ''");
  EXPECT_EQ(unexpected_name("across", "a\nb", known),
            "across: expected paper, score or validation, got 'a?b'");
  EXPECT_EQ(unexpected_name("x", std::string(61, 'y'), known),
            "x: expected paper, score or validation, got '" + std::string(60, 'y') + "...'");
}

TEST(NearestNames, AreSortedByDistance) {
  EXPECT_THAT(nearest_names("skore", known, 2), ElementsAre("score", "paper"));
  EXPECT_THAT(nearest_names("skore", known, 9), ElementsAre("score", "paper", "validation"));
  EXPECT_THAT(nearest_names("skore", {}, 3), IsEmpty());
  EXPECT_THAT(nearest_names(std::string(100'000, 'x'), known, 1), ElementsAre("paper"))
      << "all are equally far";
}

}  // namespace
}  // namespace pair::base::choices_test
