#include "pair/base/output_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "pair/base/files.h"
#include "tests/support/scratch.h"

namespace pair::base {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tests::Scratch;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFile, IsThereOnlyWhenItIsWhole) {
  const Scratch scratch;
  const fs::path path = scratch / "out.csv";
  replace_file(path, "before");
  {
    OutputFile file(path);
    file.write("one,");
    file.write(std::string(1 << 20, 'x'));
    EXPECT_EQ(read_file(path), "before");
    file.finish();
    EXPECT_EQ(read_file(path), "one," + std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(files_in(scratch.path()), 1U);
}

TEST(OutputFile, LeavesNothingBehindWhereItIsGivenUp) {
  const Scratch scratch;
  {
    OutputFile file(scratch / "out");
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(files_in(scratch.path()), 0U);
}

TEST(OutputFile, KeepsPermissionsAndFollowsLinks) {
  const Scratch scratch;
  replace_file(scratch / "real", "before");
  ::chmod((scratch / "real").c_str(), 0600);
  fs::create_symlink("real", scratch / "link");
  OutputFile file(scratch / "link");
  file.write("after");
  file.finish();
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(read_file(scratch / "real"), "after");
  EXPECT_EQ(fs::status(scratch / "real").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, WritesToDevicesAsTheyAre) {
  OutputFile file("/dev/null");
  file.write("gone");
  file.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const Scratch scratch;
  EXPECT_THAT([&] { OutputFile file(scratch.path()); },
              ThrowsMessage<FileError>(HasSubstr("Is a directory")));
  EXPECT_THAT([&] { OutputFile file(scratch / "none/out"); },
              ThrowsMessage<FileError>(HasSubstr("No such file or directory")));
  EXPECT_THAT(
      [] {
        OutputFile file("/dev/full");
        file.write("much");
        file.finish();
      },
      ThrowsMessage<FileError>(HasSubstr("No space left on device")));
}

}  // namespace
}  // namespace pair::base
