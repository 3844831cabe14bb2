#include "pair/runs/tfrecord.h"

#include <gmock/gmock.h>

namespace pair::runs::tfrecord_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Crc32c, IsThatOfRfc3720) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
}

TEST(TfRecord, ComesBackAsItWas) {
  const std::string bytes("\0one\xff", 5);
  EXPECT_EQ(tfrecord(bytes).size(), 8U + 4U + 5U + 4U);
  EXPECT_THAT(tfrecords(tfrecord(bytes) + tfrecord("") + tfrecord("two")), ElementsAre(bytes, "", "two"));
}

TEST(TfRecord, EndsAtTheFirstThatIsNotWhole) {
  const std::string whole = tfrecord("one");
  const std::string half = tfrecord("two");
  for (std::size_t size = 0; size < half.size(); ++size) {
    const std::string file = whole + half.substr(0, size);
    EXPECT_THAT(tfrecords(file), ElementsAre("one")) << size;
  }
}

TEST(TfRecord, EndsAtTheFirstWhoseBytesChanged) {
  for (std::size_t place = 0; place < tfrecord("one").size(); ++place) {
    std::string file = tfrecord("one");
    file[place] = static_cast<char>(file[place] ^ 0x10);
    EXPECT_THAT(tfrecords(file), IsEmpty()) << place;
  }
}

TEST(TfRecord, IsNotMisledByALengthBeyondTheFile) {
  EXPECT_THAT(tfrecords(std::string(100, '\xff')), IsEmpty());
}

}  // namespace
}  // namespace pair::runs::tfrecord_test
