#include "pair/report/summary.h"

#include <gmock/gmock.h>

#include <tuple>

#include "pair/report/ranking.h"
#include "tests/report/runs.h"

namespace pair::report::summary_test {
namespace {

using select::testing::write;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::records;
using testing::Scratch;

std::string said(const Scratch& scratch, const std::string& kind) {
  std::string text;
  for (const Sentence& sentence : summary_of(read_sources(std::vector{scratch.path()}))) {
    text += sentence.kind == kind ? sentence.text + "\n" : "";
  }
  return text;
}

// Three seeds of each method, done.
void write_runs(const Scratch& scratch, const std::string& algorithm, double worst) {
  for (int seed = 0; seed < 3; ++seed) {
    const std::string name = algorithm + std::to_string(seed);
    write(scratch / (name + "/results.jsonl"), records(40, algorithm, seed, worst + 0.01 * seed));
    write(scratch / (name + "/done"), "done");
  }
}

// The same on a table.
void write_runs_on(const Scratch& scratch, const std::string& file, const std::string& algorithm,
                   double worst) {
  for (int seed = 0; seed < 3; ++seed) {
    nlohmann::json record = testing::record(1, algorithm, seed, worst + 0.01 * seed);
    record["args"]["dataset"] = "table";
    record["hparams"]["file"] = "/data/" + file;
    const std::string name = file + algorithm + std::to_string(seed);
    write(scratch / (name + "/results.jsonl"), record.dump() + "\n");
    write(scratch / (name + "/done"), "done");
  }
}

TEST(Summary, RanksWithinOneDatasetOnly) {
  const Scratch scratch;
  write_runs_on(scratch, "a.csv", "erm", 0.2);
  write_runs_on(scratch, "a.csv", "pair", 0.6);
  write_runs_on(scratch, "b.csv", "erm", 0.7);
  EXPECT_EQ(
      said(scratch, "best"),
      "Best on table (a.csv) at the last record, by mean worst-environment test accuracy: pair 61.0% ± "
      "1.0% over 3 runs, erm 21.0% ± 1.0% over 3 runs.\n"
      "erm on table (b.csv) ends with a worst-environment test accuracy of 71.0% ± 1.0% over 3 runs.\n");
  EXPECT_THAT(said(scratch, "distrust"), ::testing::Not(HasSubstr("differ by less")));
  EXPECT_THAT(said(scratch, "criterion"),
              HasSubstr("pair on table (a.csv), trial 0, with the test environment 2: "));
  write_runs_on(scratch, "b.csv", "pair", 0.705);
  EXPECT_THAT(said(scratch, "distrust"),
              AllOf(HasSubstr("On table (b.csv), the two best methods differ by less"),
                    ::testing::Not(HasSubstr("On table (a.csv)"))));
}

// Two methods, each tested on two environments; which one is easier is no property of a method.
TEST(Summary, RanksWithinEqualTestEnvironmentsOnly) {
  const Scratch scratch;
  for (const auto& [algorithm, test, worst] :
       {std::tuple("erm", 1, 0.9), {"erm", 2, 0.2}, {"pair", 2, 0.6}}) {
    nlohmann::json record = testing::record(1, algorithm, 0, worst);
    record["args"]["test_envs"] = {test};
    const std::string name = algorithm + std::to_string(test);
    write(scratch / (name + "/results.jsonl"), record.dump() + "\n");
    write(scratch / (name + "/done"), "done");
  }
  EXPECT_EQ(
      said(scratch, "best"),
      "erm ends with a worst-environment test accuracy of 90.0% with the test environment 1.\n"
      "Best with the test environment 2 at the last record, by mean worst-environment test accuracy: pair "
      "60.0%, erm 20.0%.\n");
  const Sources sources = read_sources(std::vector{scratch.path()});
  EXPECT_EQ(test_environments_of(sources.history().front()), "the test environment 1");
}

TEST(Summary, SaysWhatWasTrainedAndWhichIsBest) {
  const Scratch scratch;
  write_runs(scratch, "erm", 0.2);
  write_runs(scratch, "pair", 0.6);
  EXPECT_THAT(said(scratch, "trained"), HasSubstr("6 runs on cmnist"));
  EXPECT_THAT(said(scratch, "trained"), HasSubstr("6 finished; 240 records"));
  EXPECT_THAT(said(scratch, "best"), HasSubstr("pair 61.0% ± 1.0% over 3 runs, erm 21.0%"));
}

TEST(Summary, NamesTheCriterionAndWhatItChose) {
  const Scratch scratch;
  write_runs(scratch, "pair", 0.6);
  EXPECT_THAT(said(scratch, "criterion"), HasSubstr("By PAIR-s"));
  EXPECT_THAT(said(scratch, "criterion"), HasSubstr("at step"));
}

TEST(Summary, DistrustsFewSeedsAndRunsThatAreNotDone) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", records(5));
  EXPECT_THAT(said(scratch, "distrust"), HasSubstr("Fewer than three seeds (pair)"));
  EXPECT_THAT(said(scratch, "distrust"), HasSubstr("is not finished"));
}

TEST(Summary, DistrustsDifferencesWithinTheSpread) {
  const Scratch scratch;
  write_runs(scratch, "erm", 0.6);
  write_runs(scratch, "pair", 0.605);
  EXPECT_THAT(said(scratch, "distrust"), HasSubstr("differ by less than the spread"));
}

TEST(Summary, DistrustsLossesThatAreNotFiniteAndCollapses) {
  const Scratch scratch;
  nlohmann::json last = testing::record(41, "pair", 0, 0.1);
  last["losses"]["irmv1"] = nullptr;
  write(scratch / "a/results.jsonl", records(40, "pair", 0, 0.7) + last.dump() + "\n");
  EXPECT_THAT(said(scratch, "distrust"), HasSubstr("loss that is not finite"));
  EXPECT_THAT(said(scratch, "distrust"), HasSubstr("more than 10 points below"));
}

// Three seeds of records that end with these numbers in addition.
void write_runs_ending(const Scratch& scratch, const nlohmann::json& end) {
  for (int seed = 0; seed < 3; ++seed) {
    nlohmann::json last = testing::record(41, "pair", seed);
    last.update(end);
    const std::string name = "pair" + std::to_string(seed);
    write(scratch / (name + "/results.jsonl"), records(40, "pair", seed) + last.dump() + "\n");
    write(scratch / (name + "/done"), "done");
  }
}

TEST(Summary, DistrustsPenaltiesThatAreHiddenByMemory) {
  const Scratch scratch;  // vrex is 0.01 in training
  write_runs_ending(scratch, {{"held_out_losses", {{"erm", 0.03}, {"vrex", 0.2}}},
                              {"held_out_noise_floor", {{"vrex", 0.01}}}});
  EXPECT_THAT(said(scratch, "distrust"),
              AllOf(HasSubstr("3 runs, such as "), HasSubstr(" have a penalty that is more than 10 times")));
}

TEST(Summary, TrustsHeldOutPenaltiesNearThoseOfTrainingOrWithinTheirNoise) {
  const Scratch near;
  write_runs_ending(near, {{"held_out_losses", {{"erm", 0.03}, {"vrex", 0.09}}},
                           {"held_out_noise_floor", {{"vrex", 0.001}}}});
  EXPECT_EQ(said(near, "distrust"), "");
  const Scratch noise;
  write_runs_ending(noise, {{"held_out_losses", {{"erm", 0.03}, {"vrex", 0.2}}},
                            {"held_out_noise_floor", {{"vrex", 0.1}}}});
  EXPECT_EQ(said(noise, "distrust"), "");
}

TEST(Summary, DistrustsRisksThatAreFarHigherOnHeldOutSamples) {
  const Scratch scratch;  // erm is 1/41 in training
  write_runs_ending(scratch, {{"held_out_losses", {{"erm", 0.04}}}});
  EXPECT_THAT(said(scratch, "distrust"), HasSubstr("risk that is more than 1.5 times as large"));
}

TEST(Summary, DistrustsPenaltiesBelowTheirNoiseFloor) {
  const Scratch scratch;
  write_runs_ending(scratch, {{"noise_floor", {{"vrex", 0.02}}}});
  EXPECT_THAT(said(scratch, "distrust"), HasSubstr("end with a penalty below its noise floor"));
  const Scratch above;
  write_runs_ending(above, {{"noise_floor", {{"vrex", 0.005}}}});
  EXPECT_EQ(said(above, "distrust"), "");
}

TEST(Summary, HasNothingToDistrustInWholeRunsOfOneMethod) {
  const Scratch scratch;
  write_runs(scratch, "pair", 0.6);
  EXPECT_EQ(said(scratch, "distrust"), "");
}

}  // namespace
}  // namespace pair::report::summary_test
