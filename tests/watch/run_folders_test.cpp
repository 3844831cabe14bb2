#include "pair/watch/run_folders.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/watch/records.h"

namespace pair::watch::test::run_folders_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

TEST(RunFolders, AreTheFolderAndThoseDirectlyInside) {
  const Scratch scratch;
  append(scratch / "sweep/a/results.jsonl", record(1));
  append(scratch / "sweep/b/failed", "no luck\n");
  append(scratch / "sweep/b/deep/results.jsonl", record(1));
  append(scratch / "sweep/notes.txt", "no run");
  const RunFolders found = find_runs(scratch / "sweep");
  EXPECT_THAT(found.runs, ElementsAre(Key(scratch / "sweep/a"), Key(scratch / "sweep/b")));
  EXPECT_THAT(find_runs(scratch / "sweep/a").runs, ElementsAre(Key(scratch / "sweep/a")));
  EXPECT_EQ(found, find_runs(scratch / "sweep")) << "nothing changed";
  EXPECT_THAT(find_runs(scratch / "gone").runs, IsEmpty());
}

TEST(RunFolders, AreNotTheModelsOfARun) {
  const Scratch scratch;
  append(scratch / "a/results.jsonl", record(1));
  append(scratch / "a/models/step-000100/model.json", "{}");
  EXPECT_THAT(find_runs(scratch / "a").runs, ElementsAre(Key(scratch / "a")));
  // A run of that name is one.
  append(scratch / "a/models/results.jsonl", record(1));
  EXPECT_THAT(find_runs(scratch / "a").runs, ElementsAre(Key(scratch / "a"), Key(scratch / "a/models")));
  append(scratch / "sweep/models/failed", "no luck\n");
  EXPECT_THAT(find_runs(scratch / "sweep").runs, ElementsAre(Key(scratch / "sweep/models")));
}

TEST(RunFolders, ChangeWithTheirFiles) {
  const Scratch scratch;
  append(scratch / "a/results.jsonl", record(1));
  RunFolders before = find_runs(scratch.path());
  for (const char* name : {"a/results.jsonl", "a/failed", "a/done", "a/evaluation.json", "b/results.jsonl"}) {
    append(scratch / name, record(2));
    RunFolders after = find_runs(scratch.path());
    EXPECT_NE(before, after) << name;
    before = after;
  }
  fs::remove(scratch / "a/failed");
  EXPECT_NE(before, find_runs(scratch.path()));
}

TEST(RunFolders, AreNotLookedForThroughLinksThatLeadOut) {
  const Scratch outside;
  append(outside / "run/results.jsonl", record(1));
  const Scratch scratch;
  fs::create_directory_symlink(outside / "run", scratch / "link");
  append(scratch / "a/done", "");
  fs::create_symlink(outside / "run/results.jsonl", scratch / "a/results.jsonl");
  append(scratch / "b/results.jsonl", record(1));
  fs::create_symlink("/etc/passwd", scratch / "b/failed");
  append(scratch / "c/results.jsonl", record(1));
  fs::create_symlink("/etc/passwd", scratch / "c/evaluation.json");
  fs::create_symlink("loop", scratch / "loop");
  const RunFolders found = find_runs(scratch.path());
  EXPECT_THAT(found.runs, IsEmpty());
  EXPECT_THAT(
      found.left_out,
      ElementsAre(HasSubstr("a/results.jsonl links outside of"), HasSubstr("b/failed links outside of"),
                  HasSubstr("c/evaluation.json links outside of"), HasSubstr("link links outside of")));
}

TEST(RunFolders, AreFoundThroughLinksThatStayInside) {
  const Scratch scratch;
  append(scratch / "a/results.jsonl", record(1));
  fs::create_directory_symlink("a", scratch / "link");
  EXPECT_THAT(find_runs(scratch.path()).runs, ElementsAre(Key(scratch / "a"), Key(scratch / "link")));
  // The folder itself may be a link.
  fs::create_directory_symlink(scratch.path(), scratch / "a/up");
  EXPECT_THAT(find_runs(scratch / "a/up").left_out, IsEmpty());
}

TEST(RunFolders, DoNotWaitForAPipe) {
  const Scratch scratch;
  for (const char* name : {"results.jsonl", "failed", "evaluation.json"}) {
    fs::create_directory(scratch / "a");
    ASSERT_EQ(::mkfifo((scratch / "a" / name).c_str(), 0600), 0);
    EXPECT_THAT(find_runs(scratch.path()).left_out,
                ElementsAre(HasSubstr(std::string(name) + " is not a regular file")));
    fs::remove_all(scratch / "a");
  }
}

}  // namespace
}  // namespace pair::watch::test::run_folders_test
