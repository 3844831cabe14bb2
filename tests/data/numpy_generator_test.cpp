#include "pair/data/numpy_generator.h"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

// The numbers are those of NumPy 1.24:
//   r = numpy.random.default_rng(541498); a = numpy.arange(20); r.shuffle(a)

namespace pair::data::testing::numpy_generator_test {
namespace {

using ::testing::ElementsAre;

std::vector<int> shuffled(std::uint64_t seed, int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  NumpyGenerator(seed).shuffle(std::span(values));
  return values;
}

TEST(NumpyGenerator, HasTheBitsOfDefaultRng) {
  // default_rng(541498).integers(0, 2**63, 3) are the upper 63 bits of these.
  NumpyGenerator generator(541498);
  EXPECT_EQ(generator.bits() >> 1U, 7114489379624435107U);
  EXPECT_EQ(generator.bits() >> 1U, 2306182980455262121U);
  EXPECT_EQ(generator.bits() >> 1U, 903673964819422846U);
}

TEST(NumpyGenerator, ShufflesAsGeneratorShuffle) {
  EXPECT_THAT(shuffled(541498, 20),
              ElementsAre(5, 2, 12, 10, 8, 13, 1, 4, 17, 3, 15, 0, 16, 14, 9, 18, 6, 19, 11, 7));
}

TEST(NumpyGenerator, ShufflesManyValuesAsGeneratorShuffle) {
  const std::vector<int> values = shuffled(541502, 12'000);
  std::uint64_t sum = 0;
  for (const int value : values) {
    sum = sum * 31 + static_cast<std::uint64_t>(value);
  }
  EXPECT_EQ(sum % 1'000'000'007, 348442556U);
  EXPECT_EQ(values.front(), 9920);
  EXPECT_EQ(values.back(), 9534);
}

TEST(NumpyGenerator, LeavesFewerThanTwoValuesAsTheyAre) {
  EXPECT_TRUE(shuffled(1, 0).empty());
  EXPECT_THAT(shuffled(1, 1), ElementsAre(0));
}

TEST(NumpyGenerator, GivesTheLowerHalfOfSixtyFourBitsFirst) {
  NumpyGenerator whole(7);
  NumpyGenerator halves(7);
  const std::uint64_t bits = whole.bits();
  EXPECT_EQ(halves.half_bits(), static_cast<std::uint32_t>(bits));
  EXPECT_EQ(halves.half_bits(), static_cast<std::uint32_t>(bits >> 32U));
}

}  // namespace
}  // namespace pair::data::testing::numpy_generator_test
