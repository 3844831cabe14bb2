// The commands of documents that no other test executes. paper.md and performance.md need a GPU or hours,
// gallery.md runs a script, and 'pair data get' needs a network.

#include <gmock/gmock.h>

#include "tests/docs/documents.h"
#include "tests/support/scratch.h"

namespace pair::docs::testing {
namespace {

namespace fs = std::filesystem;

// Runs the commands of a document that start with `start`, each with `more` appended, in a folder. Returns
// how many.
int run_commands(const char* document, const std::string& start, const std::string& more,
                 const fs::path& folder) {
  int commands = 0;
  for (const std::string& command : commands_of(text_of(document), "pair")) {
    if (!command.starts_with(start)) {
      continue;
    }
    ++commands;
    const Ended ended = shell(command.substr(0, command.find(" | ")) + more, folder);
    EXPECT_EQ(ended.status, 0) << command << "\n" << ended.err;
    EXPECT_NE(ended.out + ended.err, "") << command;
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
  make_images(scratch / "pictures");
  EXPECT_EQ(run_commands("docs/data.md", "pair train --data pictures",
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

}  // namespace
}  // namespace pair::docs::testing
