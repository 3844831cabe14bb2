// The commands of documents that no other test executes. Commands of full size get settings that make them
// small. parsed_test.cpp lists the few that are not executed anywhere.

#include <gmock/gmock.h>

#include "tests/docs/documents.h"
#include "tests/support/scratch.h"

namespace pair::docs::testing {
namespace {

namespace fs = std::filesystem;

// Runs the commands of a document that start with `start`, each with `more` appended, in a folder. Each
// prints `says`. Returns how many.
int run_commands(const char* document, const std::string& start, const std::string& more,
                 const fs::path& folder, const std::string& says = "") {
  int commands = 0;
  for (const std::string& command : commands_of(text_of(document), "pair")) {
    if (!command.starts_with(start)) {
      continue;
    }
    ++commands;
    std::string line = command.substr(0, command.find(" | "));
    if (const std::size_t at = line.find("--device cuda"); at != std::string::npos) {
      line.replace(at, 13, "--device cpu");  // a GPU is not needed to see that the command works
    }
    const Ended ended = shell(line + more, folder);
    EXPECT_EQ(ended.status, 0) << command << "\n" << ended.err;
    EXPECT_NE(ended.out + ended.err, "") << command;
    EXPECT_THAT(ended.out, ::testing::HasSubstr(says)) << command;
  }
  return commands;
}

TEST(Documents, ShowReportsThatWork) {
  const tests::Scratch scratch;
  fs::create_directory_symlink(project() / "examples" / "sweep", scratch / "sweep");
  EXPECT_EQ(run_commands("docs/reports.md", "pair report", "", scratch.path()), 3);
  EXPECT_TRUE(fs::exists(scratch / "report.html"));
  EXPECT_TRUE(fs::exists(scratch / "figures" / "overlay.svg"));
}

TEST(Documents, ShowTheoryThatWorks) {
  const tests::Scratch scratch;
  EXPECT_EQ(run_commands("docs/theory.md", "pair paper fig-failure", "", scratch.path()), 2);
  EXPECT_EQ(run_commands("docs/theory.md", "pair paper prop1", "", scratch.path()), 1);
  EXPECT_EQ(run_commands("docs/theory.md", "pair paper stall", "", scratch.path()), 2);
  EXPECT_EQ(run_commands("docs/theory.md", "pair paper two-bit", " --starts 2", scratch.path()), 1);
}

TEST(Documents, ShowTrainingOnImagesThatWorks) {
  const tests::Scratch scratch;
  make_images(scratch / "photos");
  EXPECT_EQ(run_commands("docs/images.md", "pair train --data photos --algorithm",
                         " batch=2 pretrain=2 eval_every=3 --steps 4", scratch.path()),
            1);
}

TEST(Documents, ShowTrainingOnTablesThatWorks) {
  const tests::Scratch scratch;
  fs::create_directory_symlink(project() / "examples", scratch / "examples");
  EXPECT_EQ(run_commands("docs/tables.md", "pair train --data examples/table",
                         " --steps 4 --set pretrain=2 eval_every=3", scratch.path()),
            2);
}

TEST(Documents, ShowHowToBeginWithYourOwnData) {
  const tests::Scratch scratch;
  fs::create_directory_symlink(project() / "examples", scratch / "examples");
  EXPECT_EQ(run_commands("docs/practice.md", "pair train", " --steps 4 --set width=4 eval_every=3 --out runs",
                         scratch.path()),
            1);
  EXPECT_EQ(run_commands("docs/practice.md", "pair report", "", scratch.path()), 1);
}

TEST(Documents, ShowTrainingOnTextsThatWorks) {
  const tests::Scratch scratch;
  fs::create_directory_symlink(project() / "examples", scratch / "examples");
  EXPECT_EQ(run_commands("docs/text.md", "pair train --data examples/text",
                         " steps=4 pretrain=2 eval_every=3", scratch.path()),
            2);
}

TEST(Documents, ShowRecordsForTensorBoard) {
  const tests::Scratch scratch;
  EXPECT_EQ(run_commands(
                "docs/watching.md", "pair train",
                " --out run --steps 6 --set train_digits=100 test_digits=50 width=4 pretrain=3 eval_every=3",
                scratch.path()),
            1);
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(scratch / "run")) {
    files += entry.path().filename().string().starts_with("events.out.tfevents.") ? 1 : 0;
  }
  EXPECT_EQ(files, 1);
}

// Few digits and steps, a narrow network.
constexpr const char* small =
    " --steps 6 --set train_digits=100 test_digits=50 width=4 pretrain=3 eval_every=3";

TEST(Documents, ShowHowToGetTheSelectedModel) {
  const tests::Scratch scratch;
  EXPECT_EQ(run_commands("docs/selection.md", "pair sweep launch --out kept", small, scratch.path()), 1);
  EXPECT_EQ(run_commands("docs/selection.md", "pair select kept", "", scratch.path()), 1);
  EXPECT_EQ(run_commands("docs/selection.md", "pair score chosen", "", scratch.path()), 1);
  EXPECT_TRUE(fs::exists(scratch / "chosen" / "model.safetensors"));
}

TEST(Documents, ShowTrainingOnMinibatchesThatWorks) {
  const tests::Scratch scratch;
  EXPECT_EQ(run_commands("docs/minibatches.md", "pair train",
                         " train_digits=400 test_digits=50 width=4 eval_every=3 --steps 6", scratch.path()),
            1);
}

TEST(Documents, ShowTrainingOnAGpuThatWorks) {
  const tests::Scratch scratch;
  EXPECT_EQ(run_commands("docs/performance.md", "pair train", small, scratch.path()), 1);
}

// The paper's tables and figures on few digits, from the same recipes. Their texts say that the setting is
// not the paper's; what they write is written.
TEST(Documents, ShowThePapersTablesAndFigures) {
  const tests::Scratch scratch;
  fs::create_directories(scratch / "docs" / "results");
  const std::string tiny =
      " --seeds 1 --set steps=4 pretrain=2 eval_every=2 train_digits=100 test_digits=50 width=4";
  const std::string marked = "Not the paper's setting: steps=4, pretrain=2";
  EXPECT_EQ(run_commands("docs/paper.md", "pair paper table1", tiny, scratch.path(), marked), 1);
  EXPECT_EQ(run_commands("docs/paper.md", "pair paper robustness", tiny, scratch.path(), marked), 1);
  EXPECT_TRUE(fs::exists(scratch / "docs/results/table1.json"));
}

// Pages of algorithms, objectives and solvers, which are generated.
TEST(Documents, ShowReferencePagesWhoseCommandsWork) {
  const tests::Scratch scratch;
  fs::create_directory_symlink(project() / "examples", scratch / "examples");
  int commands = 0;
  for (const char* const kind : {"algorithms", "objectives", "solvers"}) {
    for (const fs::directory_entry& page : fs::directory_iterator(project() / "docs" / kind)) {
      const fs::path path = fs::relative(page.path(), project());
      commands += run_commands(path.c_str(), "pair train", small, scratch.path());
      commands += run_commands(path.c_str(), "pair solve", "", scratch.path());
    }
  }
  EXPECT_GT(commands, 50);
}

}  // namespace
}  // namespace pair::docs::testing
