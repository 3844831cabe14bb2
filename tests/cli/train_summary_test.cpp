#include "pair/cli/train_summary.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace pair::cli::train_summary_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;

// Both parts of the test environment may have the same score, so the scores do not tell which one counts.
TEST(TrainSummary, TheRowTestIsThePartThatTheDatasetDeclares) {
  runs::RunResult result;
  const nlohmann::json error{
      {"step", 10}, {"env2_in_mse", 0.5}, {"env2_out_mse", 0.5}, {"worst_test_mse", 0.5}};
  result.records.assign(1, error);
  std::ostringstream text;
  write_scores(runs::resolve("extrapolation-uniform", "erm"), result, text);
  EXPECT_THAT(text.str(),
              AllOf(ContainsRegex("validation +whole square +0\\.5[^w]*test +whole square +0\\.5"),
                    ContainsRegex("worst test +of rows 'test' +0\\.5")));

  text.str("");
  const nlohmann::json accuracy{
      {"step", 10}, {"env2_in_acc", 1.0}, {"env2_out_acc", 1.0}, {"worst_test_acc", 1.0}};
  result.records.assign(1, accuracy);
  write_scores(runs::resolve("ColoredMNIST", "erm"), result, text);
  EXPECT_THAT(text.str(), ContainsRegex("test +-90% +100\\.00%[^w]*test, held out +-90% +100\\.00%"));
}

}  // namespace
}  // namespace pair::cli::train_summary_test
