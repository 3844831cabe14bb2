#include "pair/data/chained_digest.h"

#include <gtest/gtest.h>

#include "pair/data/sha256.h"

namespace pair::data::chained_digest_test {
namespace {

std::string sha256_of(const std::string& text) {
  return sha256(Bytes(text.begin(), text.end()));
}

TEST(ChainedDigest, IsTheDigestOfTheOneBeforeAndTheLine) {
  ChainedDigest digest;
  EXPECT_EQ(digest.digest(), "");
  digest.add("first\nsecond\n\n");
  EXPECT_EQ(digest.digest(), sha256_of(sha256_of(sha256_of("first") + "second")));
  EXPECT_EQ(digest.lines(), 3U);
  EXPECT_FALSE(digest.has_half_line());
}

TEST(ChainedDigest, DoesNotDependOnWhereBytesAreCut) {
  const std::string text = "one\n\ntwo and more\nthree\nhalf";
  ChainedDigest whole;
  whole.add(text);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    ChainedDigest pieces;
    for (std::size_t at = 0; at < text.size(); at += cut) {
      pieces.add(std::string_view(text).substr(at, cut));
    }
    EXPECT_EQ(pieces.digest(), whole.digest()) << cut;
    EXPECT_EQ(pieces.lines(), 4U);
    EXPECT_TRUE(pieces.has_half_line());
  }
}

TEST(ChainedDigest, ContinuesFromAnother) {
  ChainedDigest whole;
  whole.add("a\nb\nc\n");
  ChainedDigest first;
  first.add("a\nb\n");
  ChainedDigest second(first.lines(), first.digest());
  second.add("c\n");
  EXPECT_EQ(second.digest(), whole.digest());
  EXPECT_EQ(second.lines(), 3U);
}

}  // namespace
}  // namespace pair::data::chained_digest_test
