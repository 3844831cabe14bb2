#include "pair/paper/run_study.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "pair/paper/studies.h"
#include "pair/plot/csv.h"
#include "pair/plot/svg.h"

namespace pair::paper::run_study_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class RunStudy : public ::testing::Test {
 public:
  ~RunStudy() override { std::filesystem::remove_all(root); }

 protected:
  const std::filesystem::path root = std::filesystem::temp_directory_path() /
                                     ("pair_run_study_" + std::to_string(::getpid()) + "_" +
                                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

// Runs of milliseconds.
StudyRequest tiny() {
  return {.common = {{"train_digits", "100"},
                     {"test_digits", "50"},
                     {"width", "4"},
                     {"steps", "12"},
                     {"clove_batch", "16"}},
          .quick = true};
}

TEST_F(RunStudy, GoesFromRunsToAFigureInEveryStudy) {
  for (const Study& study : studies()) {
    SCOPED_TRACE(study.name);
    StudyRequest request = tiny();
    if (study.name == "fig-conflict" || study.name == "fig-trajectory") {
      request.common.emplace_back("pretrain", "4");
    }
    const json result = run_study(study, request, root, 2);
    ASSERT_FALSE(result.is_null());
    for (const json& cell : result.at("cells")) {
      EXPECT_EQ(cell.at("failed"), 0) << cell;
      EXPECT_TRUE(cell.contains("accuracy") || cell.contains("cosine")) << cell;
    }
    const plot::Figure figure = drawn(study, result);
    EXPECT_THAT(plot::to_svg(figure), HasSubstr("Quick form"));
    EXPECT_THAT(plot::to_csv(figure), Not(IsEmpty()));
    EXPECT_THAT(study_text(study, result), HasSubstr(study.title));
    // Finished runs are read.
    const json again = run_study(study, request, root, 1);
    EXPECT_EQ(again, result);
  }
}

TEST_F(RunStudy, ReturnsNothingIfStoppedAndContinues) {
  const Study study = fig_perfect_init();
  sweep::ManyRunsHooks hooks;
  int asked = 0;
  hooks.should_stop = [&asked] { return ++asked > 30; };
  StudyRequest request = tiny();
  request.methods = {"vrex", "pair"};
  EXPECT_TRUE(run_study(study, request, root, 1, hooks).is_null());
  EXPECT_THAT(run_study(study, request, root, 1).at("cells"), SizeIs(2));
}

TEST_F(RunStudy, RefusesASettingBeforeAnythingRuns) {
  StudyRequest request = tiny();
  request.common.emplace_back("model", "mpl");
  EXPECT_THAT([&] { run_study(fig_perfect_init(), request, root, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'mlp'?")));
  EXPECT_FALSE(std::filesystem::exists(root));
}

}  // namespace
}  // namespace pair::paper::run_study_test
