#include "pair/report/summary.h"

#include <gmock/gmock.h>

#include "tests/report/runs.h"

namespace pair::report::summary_test {
namespace {

using select::testing::write;
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
    write(scratch / (name + "/done"), "{}");
  }
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

TEST(Summary, HasNothingToDistrustInWholeRunsOfOneMethod) {
  const Scratch scratch;
  write_runs(scratch, "pair", 0.6);
  EXPECT_EQ(said(scratch, "distrust"), "");
}

}  // namespace
}  // namespace pair::report::summary_test
