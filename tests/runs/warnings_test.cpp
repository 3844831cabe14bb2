#include "pair/runs/warnings.h"

#include <gmock/gmock.h>

#include <array>

namespace pair::runs::testing::warnings_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunSpec with(const char* algorithm, base::Assignments overrides, const char* dataset = "cmnist") {
  return resolve(dataset, algorithm, overrides);
}

TEST(Warnings, AreGivenWhereARunNeverBalances) {
  const std::array short_run = {with("pair", {{"steps", "60"}})};
  EXPECT_THAT(
      warnings_of(short_run),
      ElementsAre("pair never balances objectives and trains with ERM alone: pretrain is 150 and steps is "
                  "60; set pretrain below steps"));
  const std::array at_the_end = {with("pair", {{"steps", "150"}})};
  EXPECT_FALSE(warnings_of(at_the_end).empty());
  const std::array long_run = {with("pair", {{"steps", "151"}})};
  EXPECT_THAT(warnings_of(long_run), IsEmpty());
}

TEST(Warnings, AreGivenWhereAProtocolsPretrainIsLongerThanTheRun) {
  const std::array spec = {with("irmv1", {{"steps", "300"}}, "ColoredMNIST")};
  ASSERT_EQ(spec[0].settings.pretrain, 500) << "DomainBed's";
  EXPECT_EQ(warnings_of(spec).size(), 1U);
}

TEST(Warnings, AreGivenWhereAPenaltyIsNeverApplied) {
  const std::array spec = {with("irmv1", {{"steps", "60"}})};
  EXPECT_THAT(warnings_of(spec),
              ElementsAre("irmv1 never applies the penalty and trains with pretrain_penalty (1) throughout: "
                          "pretrain is 100 and steps is 60; set pretrain below steps"));
  const std::array same = {with("irmv1", {{"steps", "60"}, {"penalty", "1"}})};
  EXPECT_THAT(warnings_of(same), IsEmpty());
  const std::array erm = {with("erm", {{"steps", "60"}, {"pretrain", "100"}})};
  EXPECT_THAT(warnings_of(erm), IsEmpty());
}

TEST(Warnings, OfManyRunsAreOneSentence) {
  const std::array specs = {with("erm", {{"steps", "60"}}), with("pair", {{"steps", "60"}}),
                            with("pair", {{"steps", "60"}, {"pretrain", "70"}})};
  EXPECT_THAT(
      warnings_of(specs),
      ElementsAre("2 of 3 runs (such as pair on cmnist) never balance objectives and train with ERM alone: "
                  "pretrain is 150 and steps is 60; set pretrain below steps"));
}

}  // namespace
}  // namespace pair::runs::testing::warnings_test
