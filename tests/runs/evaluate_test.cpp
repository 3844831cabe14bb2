#include "pair/runs/evaluate.h"

#include <gmock/gmock.h>

#include "pair/data/environment.h"
#include "pair/data/registry.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing::evaluate_test {
namespace {

namespace fs = std::filesystem;
using Status = RunResult::Status;

// Three environments of 40 rows, in which x decides the class.
RunSpec table_spec(const fs::path& file) {
  std::string text = "site,x,kind,y\n";
  for (int i = 0; i < 120; ++i) {
    text += "s" + std::to_string(i % 3) + "," + std::to_string(i * 37 % 100) + "," +
            (i % 4 == 0 ? "a" : "b") + "," + (i * 37 % 100 > 50 ? "yes" : "no") + "\n";
  }
  write(file, text);
  return resolve("table", "erm",
                 base::Assignments{{"file", file.string()},
                                   {"label", "y"},
                                   {"environment", "site"},
                                   {"test_envs", "2"},
                                   {"steps", "6"},
                                   {"pretrain", "3"},
                                   {"eval_every", "3"},
                                   {"model", "linear"}});
}

TEST(IsEvaluated, TablesAreAndDigitsAreNot) {
  const Scratch scratch;
  DatasetCache datasets;
  const RunSpec spec = table_spec(scratch / "t.csv");
  EXPECT_TRUE(is_evaluated(*datasets.get(spec.dataset, 0)));
  EXPECT_FALSE(is_evaluated(*datasets.get(small_spec().dataset, 0)));
}

TEST(Run, ThatIsStoppedWhileItIsEvaluatedContinues) {
  const Scratch scratch;
  const RunSpec spec = table_spec(scratch / "t.csv");
  DatasetCache datasets;
  ASSERT_EQ(run(spec, scratch / "whole", datasets).status, Status::finished);

  bool trained = false;
  RunHooks hooks;
  hooks.progress = [&](const Progress& progress) { trained = progress.step == progress.steps; };
  hooks.should_stop = [&] { return trained; };
  EXPECT_EQ(run(spec, scratch / "run", datasets, hooks).status, Status::stopped);
  EXPECT_FALSE(fs::exists(done_file(scratch / "run")));
  EXPECT_FALSE(fs::exists(evaluation_file(scratch / "run")));
  EXPECT_EQ(run(spec, scratch / "run", datasets).status, Status::finished);
  EXPECT_EQ(read_file(evaluation_file(scratch / "run")), read_file(evaluation_file(scratch / "whole")));
  EXPECT_EQ(read_file(results_file(scratch / "run")), read_file(results_file(scratch / "whole")));
}

TEST(Run, WithoutItsModelHasNoEvaluationOfAnEarlierAttempt) {
  const Scratch scratch;
  const RunSpec spec = table_spec(scratch / "t.csv");
  DatasetCache datasets;
  ASSERT_EQ(run(spec, scratch / "run", datasets).status, Status::finished);
  fs::remove(done_file(scratch / "run"));
  RunHooks hooks;
  hooks.keep_model = false;
  ASSERT_EQ(run(spec, scratch / "run", datasets, hooks).status, Status::finished);
  EXPECT_FALSE(fs::exists(evaluation_file(scratch / "run")));
}

// The rows cannot be shown any more; the numbers do not need them.
TEST(Run, OnAFileThatIsGoneKeepsTheNumbers) {
  const Scratch scratch;
  const RunSpec spec = table_spec(scratch / "t.csv");
  DatasetCache datasets;
  RunHooks hooks;
  hooks.progress = [&](const Progress& progress) {
    if (progress.step == progress.steps) {
      write(scratch / "t.csv", "site,x,kind,y\ns0,1,a,no\ns1,1,a,no\ns2,1,a,no\n");
    }
  };
  ASSERT_EQ(run(spec, scratch / "run", datasets, hooks).status, Status::finished);
  const Evaluation evaluation = evaluation_from_text(read_file(evaluation_file(scratch / "run")));
  EXPECT_EQ(evaluation.environments.size(), 3U);
  ASSERT_FALSE(evaluation.wrong.empty());
  EXPECT_TRUE(evaluation.wrong[0].cells.empty());
  EXPECT_THAT(evaluation.wrong[0].sample, ::testing::StartsWith("sample "));
}

}  // namespace
}  // namespace pair::runs::testing::evaluate_test
