#include "pair/select/losses.h"

#include <gmock/gmock.h>

#include <optional>

namespace pair::select::losses_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> losses_of(std::string_view algorithm, const std::vector<std::string>& logged) {
  select::Run run;
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& key : logged) {
    values.emplace_back(key, 1.0);
  }
  run.add(0, values);
  return default_losses(algorithm, std::vector<const select::Run*>{&run});
}

// Appendix G.2.
TEST(Losses, AreThePapersForItsAlgorithms) {
  EXPECT_THAT(losses_of("ERM", {"loss"}), IsEmpty());
  EXPECT_THAT(losses_of("IRM", {"loss", "nll", "penalty"}), ElementsAre("nll", "penalty"));
  EXPECT_THAT(losses_of("Fishr", {"loss", "nll", "penalty"}), ElementsAre("nll", "penalty"));
  EXPECT_THAT(losses_of("GroupDRO", {"loss"}), ElementsAre("loss"));
  EXPECT_THAT(losses_of("DANN", {"disc_loss", "gen_loss"}), ElementsAre("gen_loss"));
}

TEST(Losses, AreTheObjectivesOfOurOwnRuns) {
  const std::vector<std::string> logged{"loss", "nll", "penalty", "losses.clove", "losses.erm"};
  EXPECT_THAT(losses_of("clove", logged), ElementsAre("erm", "clove"));
  EXPECT_THAT(losses_of("pair", {"losses.erm", "losses.irmv1", "losses.vrex", "nll", "penalty"}),
              ElementsAre("erm", "irmv1", "vrex"));
  EXPECT_THAT(losses_of("groupdro", {"loss", "losses.erm", "losses.group_dro", "losses.worst_risk"}),
              ElementsAre("worst_risk"));
  EXPECT_THAT(losses_of("groupdro", {"loss", "losses.erm", "losses.group_dro"}), ElementsAre("group_dro"));
}

// The preference's numbers go by it.
TEST(Losses, StandInTheOrderOfTheRunsObjectives) {
  const auto ordered = [](const char* objectives) {
    select::Run run;
    run.hparams = {{"lr", "0.001"}, {"objectives", objectives}};
    const std::vector<std::pair<std::string, double>> logged{
        {"losses.erm", 1.0}, {"losses.ib", 2.0}, {"losses.irmv1", 3.0}};
    run.add(0, logged);
    return default_losses("pair", std::vector<const select::Run*>{&run});
  };
  EXPECT_THAT(ordered(R"(["erm","irmv1","ib"])"), ElementsAre("erm", "irmv1", "ib"));
  EXPECT_THAT(ordered(R"(["erm", "ib", "irmv1"])"), ElementsAre("erm", "ib", "irmv1"));
  EXPECT_THAT(ordered(R"(["erm","irmv1"])"), ElementsAre("erm", "irmv1", "ib")) << "those unnamed at the end";
  EXPECT_THAT(ordered("7"), ElementsAre("erm", "ib", "irmv1")) << "by name where there is no order";
}

TEST(Losses, AreWhatOtherAlgorithmsLogAsPenalties) {
  EXPECT_THAT(losses_of("CORAL", {"loss", "penalty"}), ElementsAre("loss", "penalty"));
  EXPECT_THAT(losses_of("IB_IRM", {"loss", "nll", "IRM_penalty", "IB_penalty"}),
              ElementsAre("nll", "IRM_penalty", "IB_penalty"));
  EXPECT_THAT(losses_of("Mixup", {"loss"}), IsEmpty());
}

TEST(Losses, OfMixedRunsAreWhatAllHave) {
  const auto of_both = [](const char* algorithm, const std::vector<std::string>& domainbed,
                          const std::vector<std::string>& ours) {
    std::vector<select::Run> runs(2);
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<std::pair<std::string, double>> values;
      for (const std::string& key : i == 0 ? domainbed : ours) {
        values.emplace_back(key, 1.0);
      }
      runs[i].add(0, values);
    }
    return default_losses(algorithm, std::vector<const select::Run*>{&runs[0], &runs[1]});
  };
  EXPECT_THAT(
      of_both("IRM", {"loss", "nll", "penalty"}, {"loss", "nll", "penalty", "losses.erm", "losses.irmv1"}),
      ElementsAre("nll", "penalty"));
  EXPECT_THAT(of_both("IB_IRM", {"loss", "nll", "IRM_penalty", "IB_penalty"},
                      {"loss", "nll", "penalty", "losses.erm", "losses.irmv1", "losses.ib"}),
              ElementsAre("nll", "IRM_penalty", "IB_penalty"));
  EXPECT_THAT(of_both("GroupDRO", {"loss"}, {"loss", "nll", "losses.erm", "losses.group_dro"}),
              ElementsAre("loss"));
}

TEST(Losses, OfGroupDroAndDannAreNoisy) {
  EXPECT_TRUE(has_noisy_losses("GroupDRO", {}));
  EXPECT_TRUE(has_noisy_losses("groupdro", {}));
  EXPECT_TRUE(has_noisy_losses("DANN", {}));
  EXPECT_FALSE(has_noisy_losses("IRM", {}));
}

using Lists = std::vector<std::vector<std::string>>;

select::Run declaring(const std::optional<Lists>& losses, const std::vector<std::string>& logged) {
  select::Run run;
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& key : logged) {
    values.emplace_back(key, 1.0);
  }
  run.add(0, values);
  run.declared.losses = losses;
  return run;
}

std::vector<std::string> losses_of(std::string_view algorithm, const std::vector<select::Run>& runs) {
  std::vector<const select::Run*> pointers;
  for (const select::Run& run : runs) {
    pointers.push_back(&run);
  }
  return default_losses(algorithm, pointers);
}

TEST(DeclaredLosses, CountForAnAlgorithmThatNoTableHas) {
  EXPECT_THAT(losses_of("new", {declaring(Lists{{"ours", "theirs"}}, {"ours", "theirs", "nll", "penalty"})}),
              ElementsAre("ours", "theirs"));
}

TEST(DeclaredLosses, CountForAnAlgorithmThatATableHasToo) {
  EXPECT_THAT(losses_of("dann", {declaring(Lists{{"disc_loss"}}, {"disc_loss", "gen_loss"})}),
              ElementsAre("disc_loss"));
  EXPECT_THAT(losses_of("erm", {declaring(Lists{{"nll", "penalty"}}, {"nll", "penalty"})}),
              ElementsAre("nll", "penalty"));
}

TEST(DeclaredLosses, AreTheFirstListThatTheRecordsHave) {
  const Lists lists{{"worst_risk"}, {"group_dro"}, {"loss"}};
  EXPECT_THAT(losses_of("x", {declaring(lists, {"losses.group_dro", "loss"})}), ElementsAre("group_dro"));
  EXPECT_THAT(losses_of("x", {declaring(lists, {"nll", "penalty"})}), IsEmpty());
}

TEST(DeclaredLosses, CanBeNone) {
  EXPECT_THAT(losses_of("x", {declaring(Lists{{}}, {"losses.erm", "losses.irmv1", "nll", "penalty"})}),
              IsEmpty());
}

TEST(DeclaredLosses, OfRunsWithDifferentObjectivesAreTheMost) {
  EXPECT_THAT(losses_of("pair", {declaring(Lists{{"erm", "vrex"}}, {"losses.erm", "losses.vrex"}),
                                 declaring(Lists{{"erm", "irmv1", "vrex"}},
                                           {"losses.erm", "losses.irmv1", "losses.vrex"})}),
              ElementsAre("erm", "irmv1", "vrex"));
}

TEST(DeclaredLosses, BesideRecordsThatDeclareNoneAreWhatAllHave) {
  const select::Run ours =
      declaring(Lists{{"erm", "irmv1"}}, {"loss", "nll", "penalty", "losses.erm", "losses.irmv1"});
  const select::Run older = declaring({}, {"loss", "nll", "penalty", "losses.erm", "losses.irmv1"});
  const select::Run domainbed = declaring({}, {"loss", "nll", "penalty"});
  EXPECT_THAT(losses_of("irmv1", {ours, older}), ElementsAre("erm", "irmv1"));
  EXPECT_THAT(losses_of("irmv1", {ours, domainbed}), ElementsAre("nll", "penalty"));
}

TEST(DeclaredLosses, SayWhetherTheyAreNoisy) {
  select::Run run;
  run.declared.noisy_losses = true;
  EXPECT_TRUE(has_noisy_losses("new", std::vector<const select::Run*>{&run}));
  run.declared.noisy_losses = false;
  EXPECT_FALSE(has_noisy_losses("groupdro", std::vector<const select::Run*>{&run}));
}

}  // namespace
}  // namespace pair::select::losses_test
