#include "pair/data/tar.h"

#include <gmock/gmock.h>

#include "tests/data/fixtures.h"

namespace pair::data::testing::tar_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Bytes content(const TarFile& file) {
  return {file.content.begin(), file.content.end()};
}

TEST(Tar, GivesTheFilesInOrder) {
  const Bytes exact(512, 7);
  const Bytes archive = tar({{"package/a", bytes_of("one")}, {"b", {}}, {"c", exact}});
  const std::vector<TarFile> files = tar_files(archive, "x.tar");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].path, "package/a");
  EXPECT_EQ(content(files[0]), bytes_of("one"));
  EXPECT_EQ(files[1].path, "b");
  EXPECT_TRUE(files[1].content.empty());
  EXPECT_EQ(content(files[2]), exact);
}

TEST(Tar, PassesOverFoldersAndLinks) {
  const Bytes archive = joined(joined(tar_header("folder/", 0, '5'), tar_header("link", 0, '2')),
                               tar({{"a", bytes_of("one")}}));
  const std::vector<TarFile> files = tar_files(archive, "x.tar");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "a");
}

TEST(Tar, OfNothingHoldsNothing) {
  EXPECT_TRUE(tar_files(tar({}), "x.tar").empty());
}

TEST(Tar, RefusesWhatIsNotAnArchive) {
  EXPECT_THAT(
      [] { tar_files(Bytes(2048, 'x'), "x.tar"); },
      ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("x.tar is not a tar archive"), HasSubstr("byte 0"))));
  EXPECT_THAT([] { tar_files(bytes_of("short"), "x.tar"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("x.tar is cut off")));
  EXPECT_THROW(tar_files({}, "x.tar"), std::runtime_error);
}

TEST(Tar, RefusesAnArchiveCutOffAnywhere) {
  const Bytes archive = tar({{"a", Bytes(700, 1)}, {"b", Bytes(10, 2)}});
  // The end mark's second block may be missing, as other readers allow.
  for (std::size_t length = 0; length < archive.size() - 512; ++length) {
    EXPECT_THROW(tar_files(BytesView(archive).first(length), "x.tar"), std::runtime_error) << length;
  }
  EXPECT_THAT([&] { tar_files(BytesView(archive).first(1000), "x.tar"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("its file a of 700 bytes extends beyond")));
}

TEST(Tar, RefusesADamagedHeader) {
  Bytes archive = tar({{"a", bytes_of("one")}, {"b", bytes_of("two")}});
  archive[1024] = 'X';
  EXPECT_THAT([&] { tar_files(archive, "x.tar"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("the header at byte 1024 does not match")));
}

TEST(Tar, RefusesBytesAfterTheEndMark) {
  EXPECT_THAT(
      [] {
        tar_files(joined(tar({{"a", {}}}), bytes_of("rest")), "x.tar");
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("after its tar archive's end mark at byte 512")));
}

}  // namespace
}  // namespace pair::data::testing::tar_test
