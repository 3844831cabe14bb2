#include "pair/select/history.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/select/fixtures.h"

namespace pair::select::history_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;
using testing::make_run;

TEST(Run, IsARegressionIfItHasErrorsInPlaceOfAccuracies) {
  const auto with = [](const std::vector<std::pair<std::string, double>>& values) {
    select::Run run;
    run.add(0, values);
    return run;
  };
  EXPECT_TRUE(is_regression(with({{"env0_in_mse", 1.0}, {"worst_test_mse", 1.0}})));
  EXPECT_TRUE(is_regression(with({{"env12_out_mse", 1.0}})));
  EXPECT_FALSE(is_regression(with({{"env0_in_acc", 1.0}, {"env0_in_mse", 1.0}})));
  EXPECT_FALSE(is_regression(with({{"worst_test_mse", 1.0}})));
  EXPECT_FALSE(is_regression(with({{"loss", 1.0}})));
}

TEST(Run, FillsInWhatARecordLacks) {
  select::Run run;
  run.add(0, std::vector<std::pair<std::string, double>>{{"loss", 1.0}});
  run.add(100, std::vector<std::pair<std::string, double>>{{"nll", 2.0}});
  run.add(200, std::vector<std::pair<std::string, double>>{{"nll", 3.0}, {"loss", 4.0}});
  EXPECT_THAT(run.find("loss")->values, ElementsAre(DoubleEq(1.0), IsNan(), DoubleEq(4.0)));
  EXPECT_THAT(run.find("nll")->values, ElementsAre(IsNan(), DoubleEq(2.0), DoubleEq(3.0)));
  EXPECT_EQ(run.find("penalty"), nullptr);
}

TEST(Run, TakesTheLaterOfTwoValues) {
  select::Run run;
  run.add(0, std::vector<std::pair<std::string, double>>{{"loss", 1.0}, {"nll", 5.0}, {"loss", 2.0}});
  EXPECT_THAT(run.find("loss")->values, ElementsAre(2.0));
  EXPECT_THAT(run.find("nll")->values, ElementsAre(5.0));
}

TEST(Run, FindsObjectivesByTheirOwnName) {
  select::Run run;
  run.add(0, std::vector<std::pair<std::string, double>>{{"losses.irmv1", 1.0}});
  EXPECT_EQ(run.find_loss("irmv1"), run.find("losses.irmv1"));
  EXPECT_EQ(run.find_loss("vrex"), nullptr);
}

TEST(Accuracies, AreFoundByEnvironment) {
  const select::Run run = make_run("a", {0}, 0, {{0, {0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}});
  const Accuracies accuracies(run);
  EXPECT_EQ(accuracies.in(2, 0), 0.3);
  EXPECT_EQ(accuracies.out(1, 0), 0.5);
  EXPECT_TRUE(std::isnan(accuracies.in(3, 0)));
  EXPECT_EQ(accuracies.held_out(0), 3);
  EXPECT_EQ(accuracies.environments(), 3);
}

TEST(Run, HasItsSettings) {
  select::Run run;
  run.hparams = {{"lr", "0.001"}, {"label", R"("y")"}};
  EXPECT_EQ(run.setting("label"), R"("y")");
  EXPECT_EQ(run.setting("file"), "");
}

TEST(TextsIn, AreThoseOfAListOrOfOneText) {
  EXPECT_THAT(texts_in(R"("erm")"), ElementsAre("erm"));
  EXPECT_THAT(texts_in(R"(["erm", "a \"b\" \\ c"])"), ElementsAre("erm", R"(a "b" \ c)"));
  EXPECT_THAT(texts_in("[]"), IsEmpty());
  EXPECT_THAT(texts_in("0.5"), IsEmpty());
}

TEST(Accuracies, CountUpToTheFirstGap) {
  select::Run run;
  run.add(0, std::vector<std::pair<std::string, double>>{{"env0_out_acc", 0.5}, {"env2_out_acc", 0.5}});
  EXPECT_EQ(Accuracies(run).held_out(0), 1);
}

TEST(Accuracies, IgnoreKeysThatOnlyLookLikeThem) {
  select::Run run;
  run.add(0, std::vector<std::pair<std::string, double>>{{"env_in_acc", 0.5},
                                                         {"env99999999999_in_acc", 0.5},
                                                         {"env-1_in_acc", 0.5},
                                                         {"env1x_out_acc", 0.5},
                                                         {"env0_uda_acc", 0.5}});
  EXPECT_EQ(Accuracies(run).environments(), 0);
}

}  // namespace
}  // namespace pair::select::history_test
