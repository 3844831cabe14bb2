#include "pair/select/read_histories.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "pair/data/chained_digest.h"
#include "pair/select/domainbed.h"
#include "tests/select/fixtures.h"
#include "tests/support/without_permissions.h"

namespace pair::select::read_histories_test {
namespace {

namespace fs = std::filesystem;
using testing::domainbed_line;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Scratch;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using testing::write;

Histories read(const Scratch& scratch, const ReadOptions& options = {}) {
  return read_histories(std::vector{scratch.path()}, options);
}

std::vector<std::string> names(const Histories& histories) {
  std::vector<std::string> all;
  for (const select::Run& run : histories.history) {
    all.push_back(fs::path(run.name).filename());
  }
  return all;
}

// The sentence of the only omission, without the name of the scratch folder.
std::string omission(const Histories& histories, const Scratch& scratch) {
  EXPECT_EQ(histories.left_out.size(), 1U);
  const std::string sentence = histories.left_out.empty() ? "" : histories.left_out[0].sentence();
  return sentence.starts_with(scratch.path().string()) ? sentence.substr(scratch.path().string().size() + 1)
                                                       : sentence;
}

TEST(ReadHistories, ReadsRunsOfBothProgramsByName) {
  const Scratch scratch;
  write(scratch / "b/results.jsonl",
        domainbed_line("IRM", 0, 1, 0, 0.5) + domainbed_line("IRM", 0, 1, 100, 0.6));
  write(scratch / "b/done", "done");
  write(scratch / "a/results.jsonl", domainbed_line("ERM", 0, 0, 0, 0.5));
  write(scratch / "a/done", "done");
  write(scratch / "results.txt", "Total records: 3");
  const Histories histories = read(scratch);
  EXPECT_THAT(names(histories), ElementsAre("a", "b"));
  EXPECT_EQ(histories.records, 3U);
  EXPECT_THAT(histories.history[1].steps, ElementsAre(0, 100));
  EXPECT_THAT(histories.left_out, IsEmpty());
  EXPECT_THAT(histories.not_done, IsEmpty());
}

TEST(ReadHistories, ReadsAFileOfSeveralRuns) {
  const Scratch scratch;
  write(scratch / "all/results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5) +
                                           domainbed_line("IRM", 0, 1, 0, 0.6) +
                                           domainbed_line("IRM", 0, 0, 100, 0.5));
  const Histories histories = read(scratch);
  EXPECT_THAT(names(histories), ElementsAre("all", "all#2"));
  EXPECT_THAT(histories.history[0].steps, ElementsAre(0, 100));
}

TEST(ReadHistories, GivesTheSameOnAnyNumberOfThreads) {
  const Scratch scratch;
  for (int i = 0; i < 30; ++i) {
    write(scratch / ("run" + std::to_string(i)) / "results.jsonl",
          domainbed_line("IRM", i % 3, i, 0, 0.5) + (i % 7 == 0 ? "garbage\n" : ""));
  }
  ReadOptions options;
  options.threads = 1;
  const Histories one = read(scratch, options);
  options.threads = 8;
  const Histories eight = read(scratch, options);
  EXPECT_EQ(names(one), names(eight));
  ASSERT_EQ(one.left_out.size(), 5U);
  ASSERT_EQ(eight.left_out.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(one.left_out[i].sentence(), eight.left_out[i].sentence());
  }
}

TEST(ReadHistories, SaysWhichRunsAreNotDoneAndReadsThem) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5));
  write(scratch / "a/failed", "out of memory\nat step 7\n");
  const Histories histories = read(scratch);
  EXPECT_THAT(names(histories), ElementsAre("a"));
  EXPECT_THAT(histories.not_done, ElementsAre(HasSubstr("a (failed: out of memory)")));
}

TEST(ReadHistories, SaysWhyAFolderIsNotARun) {
  const Scratch scratch;
  fs::create_directories(scratch / "empty");
  EXPECT_EQ(omission(read(scratch), scratch), "empty has no results.jsonl");
  write(scratch / "empty/results.jsonl", "");
  EXPECT_EQ(omission(read(scratch), scratch), "empty/results.jsonl is empty");
}

TEST(ReadHistories, ARunThatFailedBeforeItsFirstRecordIsFailedAndNotUnreadable) {
  const Scratch scratch;
  write(scratch / "early/failed", "no such file\nwith a long story\n");
  write(scratch / "empty/failed", "no memory\n");
  write(scratch / "empty/results.jsonl", "");  // as a run leaves it that failed while its data was read
  write(scratch / "garbled/failed", "killed\n");
  write(scratch / "garbled/results.jsonl", "garbage\n");
  const Histories histories = read(scratch);
  ASSERT_EQ(histories.failed.size(), 3U);
  EXPECT_EQ(histories.failed[0].folder, scratch / "early");
  EXPECT_EQ(histories.failed[0].reason, "no such file");
  EXPECT_THAT(histories.failed[1].sentence(), HasSubstr("empty failed before its first record: no memory"));
  EXPECT_EQ(omission(histories, scratch), "garbled/results.jsonl, line 1, is not JSON");
}

TEST(ReadHistories, NamesTheLineThatIsNotARecord) {
  const std::string good = domainbed_line("IRM", 0, 0, 0, 0.5);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\"step\": 1,\n", "is not JSON"},
      {"\x80\xff\n", "is not JSON"},
      {"\n", "is empty"},
      {"[]\n", "is not a JSON object"},
      {R"({"args": {"algorithm": "IRM", "dataset": "PACS", "test_envs": 0}, "step": 0})"
       "\n",
       "has args.test_envs 0"},
      {R"({"args": {"algorithm": "IRM", "dataset": "PACS", "test_envs": [0]}, "step": 0, "env1_in_acc": NaN})"
       "\n",
       "has env1_in_acc NaN; expected an accuracy from 0 to 1"},
      {std::string(100'000, '[') + "\n", "is not JSON"}};
  for (const auto& [bad, what] : cases) {
    const Scratch scratch;
    write(scratch / "a/results.jsonl", good + bad + good);
    const Histories histories = read(scratch);
    EXPECT_EQ(histories.records, 2U);
    EXPECT_THAT(omission(histories, scratch), HasSubstr("a/results.jsonl, line 2, " + what));
  }
}

TEST(ReadHistories, CountsTheLinesAfterTheFirst) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", "x\ny\n" + domainbed_line("IRM", 0, 0, 0, 0.5) + "z\n");
  EXPECT_EQ(omission(read(scratch), scratch), "a/results.jsonl, line 1, is not JSON (and 2 more lines)");
}

TEST(ReadHistories, KeepsTheReasonsOfTheFirstTwentyLinesOfAFile) {
  const Scratch scratch;
  std::string text = "x\n" + domainbed_line("IRM", 0, 0, 0, 0.5) + "[]\n";
  for (int i = 0; i < 25; ++i) {
    text += "\n";
  }
  write(scratch / "a/results.jsonl", text);
  const Histories histories = read(scratch);
  ASSERT_EQ(histories.left_out.size(), 1U);
  const Omission& left_out = histories.left_out[0];
  EXPECT_EQ(left_out.more_lines, 26U);
  ASSERT_EQ(left_out.next_lines.size(), 19U);
  EXPECT_EQ(left_out.next_lines[0].line, 3U);
  EXPECT_EQ(left_out.next_lines[0].what, "is not a JSON object");
  EXPECT_EQ(left_out.next_lines[1].line, 4U);
  EXPECT_EQ(left_out.next_lines[1].what, "is empty");
  const std::vector<std::string> sentences = left_out.sentences();
  ASSERT_EQ(sentences.size(), 21U);
  EXPECT_THAT(sentences[0], HasSubstr("a/results.jsonl, line 1, is not JSON"));
  EXPECT_THAT(sentences[19], HasSubstr("a/results.jsonl, line 21, is empty"));
  EXPECT_THAT(sentences[20], HasSubstr("a/results.jsonl has 7 more such lines"));
}

TEST(ReadHistories, LeavesOutALineWithoutItsEnd) {
  const Scratch scratch;
  const std::string line = domainbed_line("IRM", 0, 0, 0, 0.5);
  write(scratch / "a/results.jsonl", line + line.substr(0, line.size() / 2));
  const Histories histories = read(scratch);
  EXPECT_EQ(histories.records, 1U);
  EXPECT_THAT(omission(histories, scratch), HasSubstr("a/results.jsonl, line 2, has no end"));
}

TEST(ReadHistories, ReadsALastLineThatLacksOnlyItsEnd) {
  const Scratch scratch;
  const std::string line = domainbed_line("IRM", 0, 0, 0, 0.5);
  std::string last = domainbed_line("IRM", 0, 0, 100, 0.5);
  last.pop_back();
  write(scratch / "a/results.jsonl", line + last);
  write(scratch / "b/results.jsonl", last);
  const Histories histories = read(scratch);
  EXPECT_EQ(histories.records, 3U);
  EXPECT_THAT(histories.history[0].steps, ElementsAre(0, 100));
  EXPECT_THAT(histories.left_out, IsEmpty());
}

TEST(ReadHistories, SkipsALineOf100Megabytes) {
  const Scratch scratch;
  const std::string line = domainbed_line("IRM", 0, 0, 0, 0.5);
  write(scratch / "a/results.jsonl",
        // NOLINTNEXTLINE(bugprone-string-constructor): the length is tested
        line + R"({"x": ")" + std::string(100'000'000, 'x') + "\"}\n" + line + line);
  const Histories histories = read(scratch);
  EXPECT_EQ(histories.records, 3U);
  EXPECT_EQ(omission(histories, scratch), "a/results.jsonl, line 2, is longer than 16 MiB");
}

TEST(ReadHistories, CountsLinesAcrossALongOne) {
  const Scratch scratch;
  const std::string line = domainbed_line("IRM", 0, 0, 0, 0.5);
  ReadOptions options;
  options.longest_line = 4096;
  write(scratch / "a/results.jsonl", std::string(2'000'000, 'x') + "\n" + line);
  write(scratch / "b/results.jsonl", line + std::string(2'000'000, 'x'));
  const Histories histories = read(scratch, options);
  EXPECT_EQ(histories.records, 2U);
  ASSERT_EQ(histories.left_out.size(), 2U);
  EXPECT_EQ(histories.left_out[0].line, 1U);
  EXPECT_EQ(histories.left_out[1].line, 2U);
  EXPECT_EQ(histories.left_out[1].more_lines, 0U);
}

TEST(ReadHistories, ReadsLinesThatDoNotFitTheFirstBuffer) {
  const Scratch scratch;
  std::string line = domainbed_line("IRM", 0, 0, 0, 0.5);
  line.insert(1, R"("note": ")" + std::string(3'000'000, 'x') + "\", ");
  write(scratch / "a/results.jsonl", line + line + domainbed_line("IRM", 0, 0, 100, 0.5));
  const Histories histories = read(scratch);
  EXPECT_EQ(histories.records, 3U);
  EXPECT_THAT(histories.left_out, IsEmpty());
}

TEST(ReadHistories, IsNotCaughtInALoopOfLinks) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5));
  fs::create_symlink("loop", scratch / "loop");
  fs::create_directory_symlink(".", scratch / "self");
  fs::create_directory_symlink("a", scratch / "again");
  fs::create_directories(scratch / "c");
  fs::create_symlink("results.jsonl", scratch / "c/results.jsonl");
  const Histories histories = read(scratch);
  EXPECT_THAT(names(histories), ElementsAre("a"));
  std::vector<std::string> sentences;
  for (const Omission& left_out : histories.left_out) {
    sentences.push_back(left_out.sentence());
  }
  EXPECT_THAT(sentences,
              ElementsAre(HasSubstr("again/results.jsonl is a link to a file that was already read"),
                          HasSubstr("c cannot be read: Too many levels of symbolic links"),
                          HasSubstr("loop cannot be read: Too many levels of symbolic links")));
}

TEST(ReadHistories, NamesAGivenFolderWithoutRunsNextToOneWithRuns) {
  const Scratch scratch;
  write(scratch / "runs/a/results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5));
  fs::create_directories(scratch / "empty");
  const auto read_both = [&] {
    return read_histories(std::vector{scratch / "empty", fs::path((scratch / "runs").string() + "/")});
  };
  EXPECT_EQ(omission(read_both(), scratch), "empty holds no run");
  write(scratch / "empty/b/failed", "no such dataset\n");
  EXPECT_THAT(read_both().left_out, IsEmpty());
  fs::create_directories(scratch / "none");
  EXPECT_THAT(read_histories(std::vector{scratch / "none"}).left_out, IsEmpty()) << "callers say it";
}

TEST(ReadHistories, CountsTheRunsInASubfolderOfASubfolder) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5));
  for (const char* const run : {"e/0/results.jsonl", "e/1/results.jsonl"}) {
    write(scratch / run, domainbed_line("IRM", 0, 1, 0, 0.5));
  }
  EXPECT_EQ(omission(read(scratch), scratch),
            "e has no results.jsonl, but holds 2 runs; give it as a further argument");
  const Histories both = read_histories(std::vector{scratch.path(), scratch / "e"});
  EXPECT_THAT(both.left_out, IsEmpty());
  EXPECT_EQ(both.history.size(), 3U);
}

TEST(ReadHistories, LeavesOutWhatIsNotAFileOrCannotBeOpened) {
  const Scratch scratch;
  fs::create_directories(scratch / "folder/results.jsonl");
  fs::create_directories(scratch / "pipe");
  ASSERT_EQ(::mkfifo((scratch / "pipe/results.jsonl").c_str(), 0600), 0);
  write(scratch / "secret/results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5));
  fs::permissions(scratch / "secret/results.jsonl", fs::perms::none);
  const Histories histories = read(scratch);
  // Root may read everything.
  const bool root = ::geteuid() == 0;
  ASSERT_EQ(histories.left_out.size(), root ? 2U : 3U);
  EXPECT_THAT(histories.left_out[0].sentence(),
              HasSubstr("folder/results.jsonl cannot be read: it is not a regular file"));
  EXPECT_THAT(histories.left_out[1].sentence(),
              HasSubstr("pipe/results.jsonl cannot be read: it is not a regular file"));
  if (!root) {
    EXPECT_THAT(histories.left_out[2].sentence(),
                HasSubstr("secret/results.jsonl cannot be read: Permission"));
  }
}

// `done` as our runs have it, for these records.
std::string done_for(const std::string& records) {
  data::ChainedDigest digest;
  digest.add(records);
  return R"({"steps":1,"seconds":0.5,"records":)" + std::to_string(digest.lines()) +
         R"(,"records_digest":")" + digest.digest() + "\"}\n";
}

TEST(ReadHistories, LeavesOutADoneRunWhoseRecordsWereAltered) {
  const std::string first = domainbed_line("IRM", 0, 0, 0, 0.5);
  const std::string second = domainbed_line("IRM", 0, 0, 100, 0.6);
  const std::string other = domainbed_line("IRM", 0, 0, 100, 0.9);
  const std::string end = "does not hold the records that the run ended with: ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {first + other, end + "their digest differs from the one in its file 'done'"},
      {first, end + "there are 1, and were 2 when it finished"},
      {first + second + other, end + "there are 3, and were 2 when it finished"},
      {first + second + other.substr(0, other.size() - 1), end + "there are 2 and a half, and were 2"},
      {"", end + "there are 0, and were 2"}};
  for (const auto& [found, reason] : cases) {
    const Scratch scratch;
    write(scratch / "altered/results.jsonl", found);
    write(scratch / "altered/done", done_for(first + second));
    write(scratch / "whole/results.jsonl", first + second);
    write(scratch / "whole/done", done_for(first + second));
    const Histories histories = read(scratch);
    EXPECT_THAT(names(histories), ElementsAre("whole"));
    EXPECT_EQ(histories.records, 2U);
    EXPECT_THAT(histories.not_done, IsEmpty());
    EXPECT_THAT(omission(histories, scratch), StartsWith("altered/results.jsonl " + reason));
  }
}

TEST(ReadHistories, ComparesTheDigestOfLinesLongerThanAreRead) {
  const Scratch scratch;
  const std::string records = domainbed_line("IRM", 0, 0, 0, 0.5) + std::string(3000, ' ') + "\n";
  write(scratch / "a/results.jsonl", records);
  write(scratch / "a/done", done_for(records));
  ReadOptions options;
  options.longest_line = 1000;
  EXPECT_THAT(names(read(scratch, options)), ElementsAre("a"));
}

TEST(ReadHistories, AcceptsDomainBedsDoneWhichHasNoDigest) {
  const Scratch scratch;
  for (const auto& [name, done] :
       std::vector<std::pair<std::string, std::string>>{{"a", "done"}, {"b", "done\n"}, {"c", "done\r\n"}}) {
    write(scratch / name / "results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5));
    write(scratch / name / "done", done);
  }
  const Histories histories = read(scratch);
  EXPECT_THAT(names(histories), ElementsAre("a", "b", "c"));
  EXPECT_THAT(histories.left_out, IsEmpty());
  EXPECT_THAT(histories.not_done, IsEmpty());
}

TEST(ReadHistories, LeavesOutARunWhoseDoneIsDamaged) {
  const std::string line = domainbed_line("IRM", 0, 0, 0, 0.5);
  std::string without_count = done_for(line);
  without_count.erase(without_count.find(R"("records":1,)"), std::string(R"("records":1,)").size());
  for (const std::string& done :
       {std::string(), std::string("\n"), std::string("{}"), std::string("[1]"), std::string("finished"),
        std::string(R"({"steps":1,"seconds":0.5,"records":1})"), std::string(R"({"records_digest":null})"),
        without_count, done_for(line).substr(0, 30)}) {
    const Scratch scratch;
    write(scratch / "a/results.jsonl", line);
    write(scratch / "a/done", done);
    const Histories histories = read(scratch);
    EXPECT_THAT(names(histories), IsEmpty()) << done;
    EXPECT_EQ(omission(histories, scratch),
              "a/done is damaged: expected the number and digest of the run's records, or the word 'done'");
    EXPECT_THAT(histories.not_done, IsEmpty());
  }
}

// Each used to wait forever, or to fill the memory.
TEST(ReadHistories, DoesNotWaitForPipesNorReadDevices) {
  const Scratch scratch;
  for (const char* const name : {"done-device", "done-pipe", "failed-device", "failed-pipe"}) {
    write(scratch / name / "results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5));
  }
  fs::create_symlink("/dev/zero", scratch / "done-device/done");
  ASSERT_EQ(::mkfifo((scratch / "done-pipe/done").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", scratch / "failed-device/failed");
  ASSERT_EQ(::mkfifo((scratch / "failed-pipe/failed").c_str(), 0600), 0);
  const Histories histories = read(scratch);
  EXPECT_THAT(names(histories), ElementsAre("failed-device", "failed-pipe"));
  EXPECT_THAT(histories.not_done, Each(HasSubstr("it is not a regular file")));
  ASSERT_EQ(histories.left_out.size(), 2U);
  for (const Omission& left_out : histories.left_out) {
    EXPECT_THAT(left_out.sentence(), HasSubstr("/done cannot be read: it is not a regular file"));
  }
}

TEST(ReadHistories, SaysThatPermissionsAreMissing) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  const std::string line = domainbed_line("IRM", 0, 0, 0, 0.5);
  for (const char* const file : {"folder/results.jsonl", "results/results.jsonl", "done/results.jsonl"}) {
    write(scratch / file, line);
  }
  write(scratch / "done/done", done_for(line));
  fs::permissions(scratch / "folder", fs::perms::none);
  fs::permissions(scratch / "results/results.jsonl", fs::perms::none);
  fs::permissions(scratch / "done/done", fs::perms::none);
  const tests::WithoutPermissions nobody;
  const Histories histories = read(scratch);
  EXPECT_THAT(histories.history, IsEmpty());
  ASSERT_EQ(histories.left_out.size(), 3U);
  for (const Omission& left_out : histories.left_out) {
    EXPECT_THAT(left_out.sentence(), HasSubstr(" cannot be read: Permission denied"));
  }
  EXPECT_THAT([&] { read_histories(std::vector{scratch / "folder/inner"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("inner' cannot be read: Permission denied")));
}

TEST(ReadHistories, NamesFoldersInPrintableCharacters) {
  const Scratch scratch;
  fs::create_directory(scratch / "a\x1b]0;title\a\n");
  EXPECT_EQ(omission(read(scratch), scratch), "a?]0;title?? has no results.jsonl");
}

TEST(ReadHistories, RefusesWhatIsNotAFolder) {
  const Scratch scratch;
  write(scratch / "file", "");
  EXPECT_THROW(read_histories(std::vector{scratch / "file"}), std::invalid_argument);
  EXPECT_THROW(read_histories(std::vector{scratch / "missing"}), std::invalid_argument);
  EXPECT_THAT(read(scratch).history, IsEmpty());
}

}  // namespace
}  // namespace pair::select::read_histories_test
