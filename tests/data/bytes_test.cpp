#include "pair/data/bytes.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "pair/data/sha256.h"
#include "tests/data/fixtures.h"

namespace pair::data::testing::bytes_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ReadBytes, GivesTheWholeFile) {
  const Scratch scratch;
  const Bytes bytes = {0, 1, 255, 10, 13, 0};
  write(scratch / "some", bytes);
  write(scratch / "none", {});
  EXPECT_EQ(read_bytes(scratch / "some"), bytes);
  EXPECT_TRUE(read_bytes(scratch / "none").empty());
}

TEST(ReadBytes, SaysWhatIsWrongWithAPath) {
  const Scratch scratch;
  EXPECT_THAT([&] { read_bytes(scratch / "absent"); },
              ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("absent"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { read_bytes(scratch.path()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("not a regular file")));
  EXPECT_THAT([&] { read_bytes("/dev/zero"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("not a regular file")));
}

TEST(ReadBytes, RefusesAFileThatWouldFillTheMemory) {
  const Scratch scratch;
  write(scratch / "huge", {});
  std::filesystem::resize_file(scratch / "huge", largest_file + 1);  // a hole, not written to disk
  EXPECT_THAT([&] { read_bytes(scratch / "huge"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("expected at most 268435456 bytes")));
}

TEST(Sha256, IsThatOfTheStandardsExamples) {
  EXPECT_EQ(sha256(Bytes{}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(bytes_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abc"), sha256(bytes_of("abc")));
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const Scratch scratch;
  const Bytes bytes(1'000'000, 7);
  write(scratch / "file", bytes);
  EXPECT_EQ(sha256_of_file(scratch / "file"), sha256(bytes));
}

TEST(Sha256, RefusesWhatIsNotAFileWithoutWaiting) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  for (const auto& path : {scratch / "pipe", scratch.path()}) {
    EXPECT_THAT(
        [&] { (void)sha256_of_file(path); },
        ThrowsMessage<std::runtime_error>("cannot read " + path.string() + ": it is not a regular file"));
  }
}

}  // namespace
}  // namespace pair::data::testing::bytes_test
