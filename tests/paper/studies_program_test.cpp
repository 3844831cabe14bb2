#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pair/plot/png.h"
#include "tests/cli/process.h"

// pair paper fig-sweep and its siblings as users type them.

namespace pair::cli::test::studies_program_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

class StudyProgram : public ::testing::Test {
 public:
  ~StudyProgram() override { fs::remove_all(folder_); }

 protected:
  StudyProgram() { fs::create_directory(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // The quick form with runs of milliseconds.
  [[nodiscard]] Finished tiny(const std::string& name, const Words& more = {}) const {
    Words words{"paper",   name,       "--quick", "--out",           path("runs"),
                "--jobs",  "2",        "--set",   "train_digits=80", "test_digits=40",
                "width=4", "steps=10", "--set",   "pretrain=4",      "clove_batch=16"};
    words.insert(words.end(), more.begin(), more.end());
    return run_pair(words);
  }

 private:
  fs::path folder_ =
      fs::temp_directory_path() / ("pair_studies_" + std::to_string(::getpid()) + "_" +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(StudyProgram, WritesTheFigureInEveryForm) {
  const Finished finished = tiny("fig-trajectory", {"--figures", path("figures")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("PAIR-o's weights and losses over time (Figures 5b and 18), 1 seed"),
                    HasSubstr("This is the quick form"), HasSubstr("Fitting")));
  EXPECT_THAT(content("figures/fig-trajectory.svg"),
              AllOf(StartsWith("<svg "), HasSubstr("prefers-color-scheme"), HasSubstr("Quick form: ")));
  EXPECT_THAT(content("figures/fig-trajectory.csv"), StartsWith("panel,mark,"));
  EXPECT_EQ(json::parse(content("figures/fig-trajectory.json")).at("cells").size(), 2U);
  if (plot::have_png()) {
    EXPECT_THAT(content("figures/fig-trajectory-light.png"), StartsWith("\x89PNG"));
    EXPECT_NE(content("figures/fig-trajectory-light.png"), content("figures/fig-trajectory-dark.png"));
  }
}

TEST_F(StudyProgram, StartsFromAGrayModelAndReadsFinishedRuns) {
  const Words command{"--methods", "vrex,pair", "--format", "json"};
  const Finished first = tiny("fig-perfect-init", command);
  EXPECT_EQ(first.status, 0) << first.err;
  const json result = json::parse(first.out);
  EXPECT_EQ(result.at("cells").size(), 2U);
  EXPECT_THAT(result.at("made").at("device"), "cpu");
  std::size_t gray = 0;
  for (const auto& entry : fs::directory_iterator(path("runs"))) {
    gray += entry.path().filename().string().starts_with("cmnist-10-gray-erm-s0-") ? 1 : 0;
  }
  EXPECT_EQ(gray, 1U);
  EXPECT_EQ(json::parse(tiny("fig-perfect-init", command).out), result);
}

TEST_F(StudyProgram, MakesATableByBatchSize) {
  const Finished finished = tiny("minibatches", {"--methods", "vrex,pair", "--save", path("a.svg")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("samples per environment"), HasSubstr("CMNIST, PAIR-o, default"),
                                  HasSubstr("CMNIST, V-REx, settings of full batches")));
  EXPECT_THAT(content("a.svg"), HasSubstr("CMNIST, default"));
}

TEST_F(StudyProgram, SavesOneFileWhereItIsAskedTo) {
  EXPECT_EQ(tiny("fig-radar", {"--save", path("a.svg"), "--theme", "dark"}).status, 0);
  EXPECT_THAT(content("a.svg"), AllOf(HasSubstr("pair-dark"), Not(HasSubstr("prefers-color-scheme"))));
  EXPECT_EQ(tiny("fig-radar", {"--save", path("a.json")}).status, 0);
  EXPECT_EQ(json::parse(content("a.json")).at("name"), "fig-radar");
}

TEST_F(StudyProgram, SaysWhichRunsFailedAndShowsTheOthers) {
  const Words command{"--methods", "erm,pair"};
  EXPECT_EQ(tiny("fig-radar", command).status, 0);
  for (const auto& entry : fs::directory_iterator(path("runs"))) {
    if (entry.path().filename().string().starts_with("cmnist-m-pair-")) {
      std::ofstream(entry.path() / "results.jsonl") << "{}\n";
    }
  }
  const Finished finished = tiny("fig-radar", command);
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("a run failed: "));
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("CMNIST-m, ERM"), Not(HasSubstr("PAIR-o")), HasSubstr("1 run failed")));
}

TEST_F(StudyProgram, ExitsWith2WhereTheArgumentsAreWrong) {
  const std::vector<std::pair<Words, std::string>> cases{
      {{"fig-swep"}, "did you mean 'fig-sweep'?"},
      {{"fig-sweep", "--methods", "irmv2"}, "did you mean 'irmv1'?"},
      {{"fig-sweep", "--seeds", "3-1"},
       "--seeds: expected increasing ranges of up to 10000 seeds, got '3-1'"},
      {{"fig-radar", "--wide"}, "--wide"},
      {{"fig-radar", "--save", "figure.gif"}, "--save: expected a name that ends in"},
      {{"fig-conflict", "--set", "steps"}, "--set: expected key=value, such as steps=100, got 'steps'"},
      {{"fig-conflict", "--set", "stepps=3"}, "did you mean 'steps'?"},
      {{"fig-trajectory", "--methods", "pair"}, "--methods"},
      {{"fig-preference", "--format", "yaml"}, "--format"},
      {{"fig-vrex-failure", "--jobs", "0"}, "--jobs"},
      {{"fig-perfect-init", "--device", "gpu"}, "device: expected cpu, cuda or cuda:N, got 'gpu'"},
  };
  for (const auto& [arguments, sentence] : cases) {
    Words command{"paper"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Finished finished = run_pair(command);
    EXPECT_EQ(finished.status, 2) << sentence;
    EXPECT_THAT(finished.err, HasSubstr(sentence));
    EXPECT_THAT(finished.out, IsEmpty());
  }
}

TEST_F(StudyProgram, ExitsWith1WhereTheFiguresCannotBeWritten) {
  std::ofstream(path("file")) << "no folder";
  const Finished finished = tiny("fig-trajectory", {"--figures", path("file")});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("cannot be created"));
}

}  // namespace
}  // namespace pair::cli::test::studies_program_test
