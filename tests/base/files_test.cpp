#include "pair/base/files.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/file_limit.h"
#include "tests/support/scratch.h"
#include "tests/support/without_permissions.h"

namespace pair::base::files_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tests::Scratch;
using tests::WithoutPermissions;

void put(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void make_socket(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(descriptor);
}

TEST(ReadFile, GivesTheWholeFileAndFollowsLinks) {
  const Scratch scratch;
  const std::string text = std::string(300'000, 'x') + '\0' + "\r\nend";
  put(scratch / "some", text);
  put(scratch / "none", "");
  fs::create_symlink("some", scratch / "link");
  EXPECT_EQ(read_file(scratch / "some"), text);
  EXPECT_EQ(read_file(scratch / "link"), text);
  EXPECT_EQ(read_file(scratch / "none"), "");
}

TEST(ReadFile, RefusesWhatIsNotARegularFileWithoutWaiting) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", scratch / "device");
  fs::create_directory(scratch / "folder");
  make_socket(scratch / "socket");
  for (const char* const name : {"pipe", "device", "folder", "socket"}) {
    EXPECT_THAT([&] { read_file(scratch / name); },
                ThrowsMessage<FileError>(AllOf(HasSubstr("cannot read "), HasSubstr(name),
                                               HasSubstr("it is not a regular file"))));
  }
}

TEST(ReadFile, RefusesMoreThanTheLimit) {
  const Scratch scratch;
  put(scratch / "file", "12345");
  EXPECT_EQ(read_file(scratch / "file", 5), "12345");
  EXPECT_THAT([&] { read_file(scratch / "file", 4); },
              ThrowsMessage<FileError>(HasSubstr("expected at most 4 bytes, got 5")));
  fs::resize_file(scratch / "file", largest_small_file + 1);  // a hole
  EXPECT_THAT([&] { read_file(scratch / "file"); },
              ThrowsMessage<FileError>(HasSubstr("expected at most 16777216 bytes")));
}

TEST(ReadFile, HoldsTheLimitForAFileThatSaysItIsEmpty) {
  // A kernel file: regular, of size 0, with content.
  EXPECT_FALSE(read_file("/proc/self/status").empty());
  EXPECT_THAT([] { read_file("/proc/self/status", 10); },
              ThrowsMessage<FileError>(HasSubstr("expected at most 10 bytes")));
}

TEST(ReadFile, SaysThatAFileEndsBeforeTheBytesThatMustBeThere) {
  const Scratch scratch;
  put(scratch / "whole", "0123456789");
  RegularFile file(scratch / "whole", 10);
  std::string bytes(8, '.');
  file.read_exactly(bytes.data(), 4);
  fs::resize_file(scratch / "whole", 6);
  EXPECT_THAT([&] { file.read_exactly(bytes.data() + 4, 4); },
              ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("whole"), HasSubstr("it ended early"))));
  EXPECT_EQ(bytes, "012345..");
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  put(scratch / "secret", "1");
  fs::permissions(scratch / "secret", fs::perms::none);
  const WithoutPermissions nobody;
  EXPECT_THAT([&] { read_file(scratch / "secret"); },
              ThrowsMessage<FileError>(AllOf(HasSubstr("secret"), HasSubstr("Permission denied"))));
  try {
    read_file(scratch / "secret");
  } catch (const FileError& error) {
    EXPECT_EQ(error.error(), EACCES);
  }
}

TEST(FirstLine, IsOneShortPrintableLine) {
  const Scratch scratch;
  put(scratch / "two", "the \x1b[31mloss\nis not finite\n");
  put(scratch / "long", std::string(1000, 'a'));
  put(scratch / "empty", "");
  EXPECT_EQ(first_line(scratch / "two"), "the ?[31mloss");
  EXPECT_EQ(first_line(scratch / "long", 5), "aaaaa");
  EXPECT_EQ(first_line(scratch / "empty"), "");
  EXPECT_EQ(first_line(scratch / "absent"), "");
  EXPECT_THAT(first_line("/dev/zero"), HasSubstr("it is not a regular file"));
}

TEST(IsThere, DistinguishesMissingFromForbidden) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  fs::create_directory(scratch / "closed");
  put(scratch / "closed/file", "1");
  put(scratch / "file", "1");
  fs::create_symlink("nothing", scratch / "link");
  EXPECT_TRUE(is_there(scratch / "closed/file"));
  EXPECT_FALSE(is_there(scratch / "absent"));
  EXPECT_FALSE(is_there(scratch / "file/below"));
  EXPECT_FALSE(is_there(scratch / "link"));
  fs::permissions(scratch / "closed", fs::perms::none);
  const WithoutPermissions nobody;
  EXPECT_THAT([&] { (void)is_there(scratch / "closed/file"); },
              ThrowsMessage<FileError>(HasSubstr("Permission denied")));
}

TEST(FolderFault, SaysTheRealReason) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  fs::create_directories(scratch / "closed/inner");
  put(scratch / "file", "1");
  fs::create_symlink("nothing", scratch / "link");
  fs::permissions(scratch / "closed", fs::perms::none);
  const WithoutPermissions nobody;
  EXPECT_EQ(folder_fault(scratch.path()), "");
  EXPECT_EQ(folder_fault(scratch / "absent"), "does not exist");
  EXPECT_EQ(folder_fault(scratch / "file"), "is not a folder");
  EXPECT_EQ(folder_fault(scratch / "link"), "is not a folder");
  EXPECT_EQ(folder_fault(scratch / "closed/inner"), "cannot be read: Permission denied");
}

TEST(FileFault, SaysTheRealReason) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  fs::create_directory(scratch / "closed");
  put(scratch / "closed/file", "1");
  put(scratch / "file", "1");
  put(scratch / "secret", "1");
  fs::create_symlink("file", scratch / "link");
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0644), 0);
  ASSERT_EQ(::mkfifo((scratch / "secret pipe").c_str(), 0), 0);
  fs::permissions(scratch / "closed", fs::perms::none);
  fs::permissions(scratch / "secret", fs::perms::none);
  const WithoutPermissions nobody;
  EXPECT_EQ(file_fault(scratch / "file"), "");
  EXPECT_EQ(file_fault(scratch / "link"), "");
  EXPECT_EQ(file_fault(scratch / "absent"), "does not exist");
  EXPECT_EQ(file_fault(scratch / "file/below"), "does not exist");
  EXPECT_EQ(file_fault(scratch.path()), "is a folder");
  EXPECT_EQ(file_fault(scratch / "pipe"), "is a device or pipe");
  EXPECT_EQ(stream_fault(scratch / "pipe"), "") << "without waiting for its writer";
  EXPECT_EQ(stream_fault("/dev/null"), "");
  EXPECT_EQ(stream_fault(scratch / "file"), "");
  EXPECT_EQ(stream_fault(scratch / "absent"), "does not exist");
  EXPECT_EQ(stream_fault(scratch.path()), "is a folder");
  EXPECT_EQ(stream_fault(scratch / "secret"), "cannot be read: Permission denied");
  EXPECT_EQ(stream_fault(scratch / "secret pipe"), "cannot be read: Permission denied");
  EXPECT_EQ(file_fault(scratch / "secret"), "cannot be read: Permission denied");
  EXPECT_EQ(file_fault(scratch / "closed/file"), "cannot be read: Permission denied");
}

TEST(FoldersWith, AreThoseThatHaveTheFile) {
  const Scratch scratch;
  for (const char* const name : {"b", "a", "empty"}) {
    fs::create_directory(scratch / name);
  }
  put(scratch / "a/results.jsonl", "");
  put(scratch / "b/results.jsonl", "");
  put(scratch / "results.jsonl", "");
  EXPECT_THAT(folders_with(scratch.path(), "results.jsonl"), ElementsAre("a", "b"));
  EXPECT_TRUE(folders_with(scratch / "absent", "results.jsonl").empty());
}

TEST(ReplaceFile, DoesNotWaitForThePipeThatHasTheNameOfItsTemporaryFile) {
  const Scratch scratch;
  put(scratch / "done", "old");
  ASSERT_EQ(::mkfifo(part_of(scratch / "done").c_str(), 0600), 0);
  replace_file(scratch / "done", "new");
  EXPECT_EQ(content(scratch / "done"), "new");
  EXPECT_THAT(names_in(scratch.path()), ElementsAre("done"));
}

TEST(ReplaceFile, WritesToNoFileThatALinkOfThatNamePointsTo) {
  const Scratch scratch;
  put(scratch / "precious", "kept");
  fs::create_symlink(scratch / "precious", part_of(scratch / "done"));
  replace_file(scratch / "done", "new");
  EXPECT_EQ(content(scratch / "precious"), "kept");
  EXPECT_EQ(content(scratch / "done"), "new");
}

TEST(WriteOutput, ReplacesAFileAndKeepsItsPermissions) {
  const Scratch scratch;
  put(scratch / "page", "old");
  fs::permissions(scratch / "page", fs::perms::owner_read | fs::perms::owner_write);
  write_output(scratch / "page", "new");
  write_output(scratch / "another", "first");
  EXPECT_EQ(content(scratch / "page"), "new");
  EXPECT_EQ(content(scratch / "another"), "first");
  EXPECT_EQ(fs::status(scratch / "page").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(names_in(scratch.path()), ElementsAre("another", "page"));
}

TEST(WriteOutput, LeavesTheOldFileWhereTheDiskIsFull) {
  const Scratch scratch;
  put(scratch / "page", "a good page");
  {
    const tests::FileLimit full(20);
    EXPECT_THAT([&] { write_output(scratch / "page", std::string(1000, 'x')); },
                ThrowsMessage<FileError>(AllOf(HasSubstr("cannot write"), HasSubstr("File too large"))));
  }
  EXPECT_EQ(content(scratch / "page"), "a good page");
  EXPECT_THAT(names_in(scratch.path()), ElementsAre("page"));
}

TEST(WriteOutput, FollowsALinkAndLeavesItALink) {
  const Scratch scratch;
  fs::create_directory(scratch / "folder");
  put(scratch / "folder/page", "old");
  fs::create_symlink("folder/page", scratch / "link");
  write_output(scratch / "link", "new");
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(content(scratch / "folder/page"), "new");
}

TEST(WriteOutput, WritesToADeviceDirectly) {
  const Scratch scratch;
  fs::create_symlink("/dev/null", scratch / "device");
  write_output(scratch / "device", "nowhere");
  EXPECT_TRUE(fs::is_character_file(scratch / "device"));
  EXPECT_THAT([] { write_output("/dev/full", "1"); },
              ThrowsMessage<FileError>(HasSubstr("cannot write /dev/full: No space left on device")));
}

TEST(WriteOutput, SaysWhyItCannot) {
  const Scratch scratch;
  EXPECT_THAT([&] { write_output(scratch / "absent/page", "1"); },
              ThrowsMessage<FileError>(HasSubstr("No such file or directory")));
  EXPECT_THAT([&] { write_output(scratch.path(), "1"); },
              ThrowsMessage<FileError>(HasSubstr("Is a directory")));
}

}  // namespace
}  // namespace pair::base::files_test
