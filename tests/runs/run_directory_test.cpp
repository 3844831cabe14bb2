#include "pair/runs/run_directory.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "pair/runs/records.h"
#include "tests/runs/fixtures.h"
#include "tests/support/without_permissions.h"

namespace pair::runs::testing::run_directory_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

const nlohmann::json versions{{"pair", "test"}};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

// Two records, a checkpoint after each, and a record that no checkpoint knows.
void write_run(const fs::path& path) {
  RunDirectory run(path, small_spec());
  run.record(R"({"step":1})");
  run.save({1, 0.5, "state one"});
  run.record(R"({"step":2})");
  run.save({2, 1.5, std::string("state\0two\n", 10)});
  run.record(R"({"step":3})");
}

TEST(RunDirectory, HoldsWhatARunIsMadeOf) {
  const Scratch scratch;
  {
    RunDirectory run(scratch / "not/yet/there", small_spec());
    EXPECT_EQ(run.resume(), std::nullopt);
    run.record(R"({"step":1})");
    run.save({1, 0.25, "state"});
    run.finish({1, 0.5}, versions);
    EXPECT_THAT(run.take_notices(), IsEmpty());
  }
  const fs::path path = scratch / "not/yet/there";
  EXPECT_THAT(names_in(path), UnorderedElementsAre("spec.json", "results.jsonl", "checkpoint", "done"));
  EXPECT_EQ(read_file(results_file(path)), "{\"step\":1}\n");
  EXPECT_EQ(as_json(spec_from_text(read_file(spec_file(path)))), as_json(small_spec()));
  const auto done = nlohmann::json::parse(read_file(done_file(path)));
  EXPECT_EQ(done.at("versions"), versions);
  const std::optional<Finished> finished = RunDirectory::finished(path, small_spec());
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->steps, 1);
  EXPECT_EQ(finished->seconds, 0.5);
}

TEST(RunDirectory, ResumesAtTheLastCheckpoint) {
  const Scratch scratch;
  write_run(scratch / "run");
  EXPECT_EQ(RunDirectory::finished(scratch / "run", small_spec()), std::nullopt);
  RunDirectory run(scratch / "run", small_spec());
  const std::optional<Checkpoint> checkpoint = run.resume();
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->step, 2);
  EXPECT_EQ(checkpoint->seconds, 1.5);
  EXPECT_EQ(checkpoint->state, std::string("state\0two\n", 10));
  run.record(R"({"step":3})");
  run.record(R"({"step":4})");
  EXPECT_THAT(run.take_notices(), IsEmpty());
  EXPECT_EQ(read_file(results_file(scratch / "run")),
            "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n{\"step\":4}\n");
}

TEST(RunDirectory, KeepsRecordsBeyondTheCheckpointUntilTheyComeAgain) {
  const Scratch scratch;
  write_run(scratch / "run");
  {
    RunDirectory run(scratch / "run", small_spec());
    (void)run.resume();
  }
  EXPECT_THAT(read_records(results_file(scratch / "run")), SizeIs(3));
}

TEST(RunDirectory, ReplacesRecordsThatComeOutDifferently) {
  const Scratch scratch;
  write_run(scratch / "run");
  RunDirectory run(scratch / "run", small_spec());
  (void)run.resume();
  run.record(R"({"step":3,"loss":1})");
  EXPECT_THAT(run.take_notices(), ElementsAre(AllOf(HasSubstr("line 3"), HasSubstr("replaced"))));
  EXPECT_EQ(read_file(results_file(scratch / "run")),
            "{\"step\":1}\n{\"step\":2}\n{\"step\":3,\"loss\":1}\n");
}

TEST(RunDirectory, DropsALineWithoutAnEnd) {
  const Scratch scratch;
  write_run(scratch / "run");
  const std::string whole = read_file(results_file(scratch / "run"));
  write(results_file(scratch / "run"), whole + R"({"step":4,"lo)");
  EXPECT_THAT(read_records(results_file(scratch / "run")), SizeIs(3)) << "readers pass it over";
  RunDirectory run(scratch / "run", small_spec());
  EXPECT_TRUE(run.resume());
  EXPECT_EQ(read_file(results_file(scratch / "run")), whole);
}

TEST(RunDirectory, StartsAgainIfTheCheckpointIsDamaged) {
  const Scratch scratch;
  const fs::path path = scratch / "run";
  write_run(path);
  const std::string whole = read_file(checkpoint_file(path));
  std::string flipped = whole;
  flipped.back() ^= 1;
  const std::string foreign = "not a checkpoint\n";
  for (const std::string& damaged :
       {flipped, whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1), std::string(), foreign,
        std::string("{}\n"), std::string("[1]\n")}) {
    write(checkpoint_file(path), damaged);
    RunDirectory run(path, small_spec());
    EXPECT_EQ(run.resume(), std::nullopt);
    EXPECT_THAT(run.take_notices(), ElementsAre(AllOf(HasSubstr("checkpoint is damaged"),
                                                      HasSubstr("the run starts from the beginning"))));
    run.record(R"({"step":1})");
    EXPECT_THAT(run.take_notices(), IsEmpty()) << "the same line as before";
    EXPECT_THAT(read_records(results_file(path)), SizeIs(3));
  }
}

TEST(RunDirectory, StartsAgainIfRecordsWereCutOrChanged) {
  const Scratch scratch;
  const fs::path path = scratch / "run";
  for (const char* damaged : {"", "{\"step\":1}\n", "{\"step\":1}\n{\"step\":7}\n{\"step\":3}\n",
                              "{\"step\":1}\n{\"st", "\n\n\n\n"}) {
    fs::remove_all(path);
    write_run(path);
    write(results_file(path), damaged);
    RunDirectory run(path, small_spec());
    EXPECT_EQ(run.resume(), std::nullopt) << damaged;
    EXPECT_THAT(run.take_notices(),
                ElementsAre(HasSubstr("results.jsonl has changed since the run stopped")));
    for (const char* line : {R"({"step":1})", R"({"step":2})", R"({"step":3})"}) {
      run.record(line);
    }
    EXPECT_EQ(read_file(results_file(path)), "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n");
  }
}

TEST(RunDirectory, RefusesAnotherRunsFolder) {
  const Scratch scratch;
  write_run(scratch / "run");
  const std::string before = read_file(results_file(scratch / "run"));
  RunSpec other = small_spec();
  other.seed = 1;
  EXPECT_THAT([&] { RunDirectory(scratch / "run", other); },
              ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("holds a different run"), HasSubstr("its seed is 0, here 1"))));
  EXPECT_EQ(read_file(results_file(scratch / "run")), before);
  RunSpec same = small_spec();
  same.checkpoint_every = 1;
  EXPECT_NO_THROW(RunDirectory(scratch / "run", same)) << "what does not change the records may differ";
}

TEST(RunDirectory, GivesAFolderInWhichNothingCameAboutToAnother) {
  const Scratch scratch;
  { RunDirectory run(scratch / "run", small_spec()); }
  RunSpec other = small_spec();
  other.seed = 1;
  { RunDirectory run(scratch / "run", other); }
  EXPECT_EQ(spec_from_text(read_file(spec_file(scratch / "run"))).seed, 1U);
}

TEST(RunDirectory, RefusesFoldersAndFilesThatAreNotRuns) {
  const Scratch scratch;
  write(scratch / "letter.txt", "dear");
  EXPECT_THAT([&] { RunDirectory(scratch.path(), small_spec()); },
              ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("letter.txt"), HasSubstr("no run"))));
  EXPECT_THAT(names_in(scratch.path()), ElementsAre("letter.txt")) << "nothing was put there";
  EXPECT_THAT([&] { RunDirectory(scratch / "letter.txt", small_spec()); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("is a file")));
}

TEST(RunDirectory, RefusesASpecThatCannotBeReadWhereThereAreRecords) {
  const Scratch scratch;
  const fs::path path = scratch / "run";
  write_run(path);
  for (const char* damaged :
       {"", "{\"dataset\"", "{}", R"({"dataset":"cmnist","algorithm":"pair","stps":1})"}) {
    write(spec_file(path), damaged);
    EXPECT_THAT([&] { RunDirectory(path, small_spec()); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("spec.json cannot be used")))
        << damaged;
  }
  fs::remove(spec_file(path));
  EXPECT_THAT([&] { RunDirectory(path, small_spec()); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("no run")));
  EXPECT_THAT(read_records(results_file(path)), SizeIs(3));
}

TEST(RunDirectory, WritesADamagedSpecAgainWhereTheFolderHasItsName) {
  const Scratch scratch;
  const fs::path path = scratch / folder_name(small_spec());
  write_run(path);
  const auto expect_mended = [&](const char* fault) {
    RunDirectory run(path, small_spec());
    EXPECT_THAT(run.take_notices(),
                ElementsAre(AllOf(HasSubstr("spec.json"), HasSubstr(fault), HasSubstr("is written again"))));
    EXPECT_TRUE(run.resume()) << "the checkpoint is the spec's";
    EXPECT_EQ(canonical(spec_from_text(read_file(spec_file(path)))), canonical(small_spec()));
  };
  for (const char* damaged : {"", "{\"dataset\"", "{}"}) {
    write(spec_file(path), damaged);
    expect_mended("is damaged");
  }
  fs::remove(spec_file(path));
  expect_mended("is missing");
  fs::remove(spec_file(path));
  ASSERT_EQ(::mkfifo(spec_file(path).c_str(), 0600), 0);
  expect_mended("is damaged");
  fs::remove(spec_file(path));
  fs::create_directory(spec_file(path));
  expect_mended("is a folder");
}

TEST(RunDirectory, ReplacesASpecThatIsAnEmptyFolderWhereNothingHasBegun) {
  const Scratch scratch;
  fs::create_directories(spec_file(scratch / "run"));
  RunDirectory run(scratch / "run", small_spec());
  EXPECT_THAT(run.take_notices(), ElementsAre(HasSubstr("spec.json is a folder and is written again")));
  EXPECT_EQ(canonical(spec_from_text(read_file(spec_file(scratch / "run")))), canonical(small_spec()));
}

TEST(RunDirectory, StartsAgainWithADamagedSpecAndNoCheckpoint) {
  const Scratch scratch;
  const fs::path path = scratch / folder_name(small_spec());
  write_run(path);
  write(spec_file(path), "");
  fs::remove(checkpoint_file(path));
  RunDirectory run(path, small_spec());
  EXPECT_EQ(run.resume(), std::nullopt);
  run.record(R"({"step":9})");
  EXPECT_EQ(read_file(results_file(path)), "{\"step\":9}\n");
}

TEST(RunDirectory, RefusesASpecThatIsAFolderWithFiles) {
  const Scratch scratch;
  const fs::path begun = scratch / folder_name(small_spec());
  write_run(begun);
  fs::remove(spec_file(begun));
  for (const fs::path& path : {begun, scratch / "new"}) {
    fs::create_directories(spec_file(path));
    write(spec_file(path) / "file", "somebody's");
    EXPECT_THAT([&] { RunDirectory(path, small_spec()); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(HasSubstr("spec.json is a folder and cannot be replaced: Directory not empty"),
                          HasSubstr("delete or move it"))));
    EXPECT_EQ(read_file(spec_file(path) / "file"), "somebody's");
  }
}

TEST(RunDirectory, RefusesASpecThatIsAFolderWhereItsNameDoesNotSayWhoseRecordsItHolds) {
  const Scratch scratch;
  const fs::path path = scratch / "run";
  write_run(path);
  fs::remove(spec_file(path));
  fs::create_directory(spec_file(path));
  EXPECT_THAT([&] { RunDirectory(path, small_spec()); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(
                  "run holds records, but its spec.json is a folder; expected a folder that is new")));
  EXPECT_TRUE(fs::is_directory(spec_file(path)));
}

TEST(RunDirectory, SaysThatACheckpointIsAFolderBeforeItTrains) {
  const Scratch scratch;
  write_run(scratch / "run");
  fs::remove(checkpoint_file(scratch / "run"));
  fs::create_directory(checkpoint_file(scratch / "run"));
  RunDirectory run(scratch / "run", small_spec());
  EXPECT_THAT([&] { (void)run.resume(); },
              ThrowsMessage<std::runtime_error>(HasSubstr("checkpoint: it is not a regular file")));
}

TEST(RunDirectory, LeavesADoneRunWithADamagedSpecToAPerson) {
  const Scratch scratch;
  const fs::path path = scratch / folder_name(small_spec());
  write_run(path);
  write(done_file(path), "{}");
  write(spec_file(path), "");
  EXPECT_THAT([&] { RunDirectory(path, small_spec()); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("spec.json cannot be used")));
  EXPECT_EQ(standing_of(path, small_spec()), Standing::foreign);
}

// Each used to wait forever, or to fill the memory.
TEST(RunDirectory, DoesNotWaitForPipesNorReadDevices) {
  const Scratch scratch;
  const fs::path path = scratch / "run";
  for (const bool pipe : {true, false}) {
    const auto put = [pipe](const fs::path& file) {
      fs::remove(file);
      pipe ? (void)::mkfifo(file.c_str(), 0600) : fs::create_symlink("/dev/zero", file);
    };
    fs::remove_all(path);
    write_run(path);
    put(checkpoint_file(path));
    {
      RunDirectory run(path, small_spec());
      EXPECT_EQ(run.resume(), std::nullopt);
      EXPECT_THAT(run.take_notices(), ElementsAre(HasSubstr("checkpoint is damaged")));
    }
    put(done_file(path));
    EXPECT_THAT([&] { (void)RunDirectory::finished(path, small_spec()); },
                ThrowsMessage<std::runtime_error>(HasSubstr("done: it is not a regular file")));
    EXPECT_EQ(standing_of(path, small_spec()), Standing::lost);
    fs::remove(done_file(path));
    put(results_file(path));
    EXPECT_THAT([&] { RunDirectory(path, small_spec()); },
                ThrowsMessage<std::runtime_error>(HasSubstr("results.jsonl: it is not a regular file")));
    EXPECT_THAT([&] { (void)read_records(results_file(path)); },
                ThrowsMessage<std::runtime_error>(HasSubstr("it is not a regular file")));
  }
}

TEST(RunDirectory, DoesNotReportUnreadableFilesAsLost) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  const fs::path path = scratch / "run";
  {
    RunDirectory run(path, small_spec());
    run.finish({1, 0.5}, versions);
  }
  fs::permissions(done_file(path), fs::perms::none);
  const tests::WithoutPermissions nobody;
  EXPECT_THAT([&] { (void)RunDirectory::finished(path, small_spec()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("done: Permission denied")));
  EXPECT_EQ(standing_of(path, small_spec()), Standing::foreign);
}

TEST(RunDirectory, HasTheLastWholeLine) {
  const Scratch scratch;
  RunDirectory run(scratch / "run", small_spec());
  EXPECT_EQ(run.last_line(), "");
  run.record("first");
  EXPECT_EQ(run.last_line(), "first");
  run.record(std::string(200'000, 'x'));
  run.record("third");
  EXPECT_EQ(run.last_line(), "third");
  run.record(std::string(150'000, 'y'));
  EXPECT_EQ(run.last_line(), std::string(150'000, 'y')) << "longer than what is read at once";
  write(results_file(scratch / "run"), "first\n\nhalf");
  EXPECT_EQ(run.last_line(), "");
}

TEST(RunDirectory, HasTheLastLineBeforeItsCheckpoint) {
  const Scratch scratch;
  {
    RunDirectory killed(scratch / "run", small_spec());
    killed.record("first");
    killed.save({1, 0.0, "state"});
    killed.record("second");
  }
  RunDirectory run(scratch / "run", small_spec());
  ASSERT_TRUE(run.resume());
  EXPECT_EQ(run.last_line(), "first");
  run.record("second");
  EXPECT_EQ(run.last_line(), "second");
  EXPECT_THAT(run.take_notices(), IsEmpty());
}

TEST(RunDirectory, LetsOneTrainAtATime) {
  const Scratch scratch;
  {
    const RunDirectory first(scratch / "run", small_spec());
    EXPECT_THAT([&] { RunDirectory(scratch / "run", small_spec()); },
                ThrowsMessage<Busy>(HasSubstr("is training in")));
  }
  EXPECT_NO_THROW(RunDirectory(scratch / "run", small_spec()));
}

TEST(RunDirectory, KnowsWhenTheRecordsOfADoneRunWereChanged) {
  const Scratch scratch;
  const fs::path path = scratch / "run";
  {
    RunDirectory run(path, small_spec());
    run.record(R"({"step":1})");
    run.finish({1, 0.5}, versions);
  }
  write(results_file(path), "{\"step\":2}\n");
  EXPECT_THAT([&] { (void)RunDirectory::finished(path, small_spec()); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("has changed since the run finished"), HasSubstr("delete"))));
  write(results_file(path), "{\"step\":1}\n{\"step\":2}");
  EXPECT_THAT([&] { (void)RunDirectory::finished(path, small_spec()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("has changed since the run finished")))
      << "readers would take a whole record without a line's end";
  write(done_file(path), "done");
  EXPECT_THAT([&] { (void)RunDirectory::finished(path, small_spec()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("done is damaged")));
}

TEST(RunDirectory, SaysWhyARunFailedUntilTheNextTry) {
  const Scratch scratch;
  {
    RunDirectory run(scratch / "run", small_spec());
    run.fail("ten steps in a row were not finite");
  }
  EXPECT_EQ(read_file(failed_file(scratch / "run")), "ten steps in a row were not finite\n");
  const RunDirectory again(scratch / "run", small_spec());
  EXPECT_FALSE(fs::exists(failed_file(scratch / "run")));
}

TEST(RunDirectory, SaysWhichFileCannotBeWritten) {
  // Root may write anywhere but here.
  EXPECT_THAT([] { RunDirectory("/proc/pair-run", small_spec()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot create the folder /proc/pair-run")));
}

TEST(Records, SayWhichLineIsNone) {
  EXPECT_THAT([] { (void)parse_records("{\"step\":1}\n[2]\n", "results.jsonl"); },
              ThrowsMessage<std::runtime_error>("results.jsonl, line 2, is not a JSON object"));
  EXPECT_THAT(parse_records("", "results.jsonl"), IsEmpty());
}

}  // namespace
}  // namespace pair::runs::testing::run_directory_test
