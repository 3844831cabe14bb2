#include "pair/data/gzip.h"

#include <gmock/gmock.h>

#include "tests/data/fixtures.h"

namespace pair::data::testing::gzip_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Bytes long_content() {
  Bytes content(3'000'000);
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<std::uint8_t>(i * i >> 7U);
  }
  return content;
}

TEST(Gunzip, UndoesGzip) {
  EXPECT_EQ(gunzip(gzip(bytes_of("digits")), "x"), bytes_of("digits"));
  EXPECT_EQ(gunzip(gzip({}), "x"), Bytes{});
  EXPECT_EQ(gunzip(gzip(long_content()), "x"), long_content());
}

TEST(Gunzip, JoinsStreamsOnEnd) {
  EXPECT_EQ(gunzip(joined(gzip(bytes_of("one ")), gzip(bytes_of("two"))), "x"), bytes_of("one two"));
}

TEST(Gunzip, ReturnsBytesThatAreNotGzippedUnchanged) {
  EXPECT_EQ(gunzipped(bytes_of("plain"), "x"), bytes_of("plain"));
  EXPECT_EQ(gunzipped({}, "x"), Bytes{});
  EXPECT_EQ(gunzipped(gzip(bytes_of("packed")), "x"), bytes_of("packed"));
  EXPECT_THAT([] { gunzip(bytes_of("plain"), "f.gz"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("f.gz is not a gzip file")));
}

TEST(Gunzip, RefusesAStreamCutOffAnywhere) {
  const Bytes whole = gzip(bytes_of("a few digits"));
  for (std::size_t missing = 1; missing + 2 <= whole.size(); ++missing) {
    EXPECT_THAT([&] { gunzip(without_last(whole, missing), "f.gz"); },
                ThrowsMessage<std::runtime_error>(HasSubstr("f.gz is cut off")))
        << missing;
  }
  EXPECT_THROW(gunzip(without_last(gzip(long_content()), 1), "f.gz"), std::runtime_error);
}

TEST(Gunzip, NeverGivesOtherContentForAFlippedBit) {
  const Bytes content = bytes_of("a few digits");
  const Bytes whole = gzip(content);
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes damaged = whole;
    damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ 1U << bit % 8);
    try {
      EXPECT_EQ(gunzip(damaged, "f.gz"), content) << bit;  // some bits of a stream mean nothing
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 200) << "of " << 8 * whole.size();
}

TEST(Gunzip, RefusesBytesAfterTheStream) {
  EXPECT_THAT([] { gunzip(joined(gzip(bytes_of("digits")), bytes_of("rest")), "f.gz"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("f.gz has 4 bytes after the end")));
}

TEST(Gunzip, RefusesToFillTheMemory) {
  // Five times 64 MiB of zeros, 65 kB each when packed.
  const Bytes part = gzip(Bytes(std::size_t{64} << 20U));
  Bytes bomb;
  for (int i = 0; i < 5; ++i) {
    bomb = joined(std::move(bomb), part);
  }
  EXPECT_THAT(
      [&] { gunzip(bomb, "f.gz"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("f.gz unpacks to more than the limit of 268435456 bytes")));
}

}  // namespace
}  // namespace pair::data::testing::gzip_test
