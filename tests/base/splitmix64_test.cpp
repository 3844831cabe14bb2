#include "pair/base/splitmix64.h"

#include <gtest/gtest.h>

namespace pair::base::splitmix64_test {
namespace {

TEST(Splitmix64, GivesTheWordsOfTheReference) {
  // The first outputs of Vigna's splitmix64.c from the state 0, whose n-th is the word of counter n.
  EXPECT_EQ(splitmix64::word(1), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(splitmix64::word(2), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(splitmix64::word(3), 0x06c45d188009454fULL);
}

}  // namespace
}  // namespace pair::base::splitmix64_test
