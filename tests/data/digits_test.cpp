#include "pair/data/digits.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "tests/data/fixtures.h"

namespace pair::data::testing::digits_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Bytes asset() {
  return read_bytes(std::filesystem::path(PAIR_TEST_DATA) / "../../assets/mnist14/mnist14.zst");
}

TEST(Subsampled, KeepsEverySecondRowAndColumnFromTheFirst) {
  const Digits digits{.count = 1,
                      .rows = 3,
                      .columns = 4,
                      .pixels = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23},
                      .labels = {5}};
  const Digits half = subsampled(digits, 2);
  EXPECT_EQ(half.rows, 2);
  EXPECT_EQ(half.columns, 2);
  EXPECT_THAT(half.pixels, ElementsAre(0, 2, 20, 22));
  EXPECT_THAT(half.labels, ElementsAre(5));
  EXPECT_EQ(subsampled(digits, 1), digits);
  EXPECT_THAT([&] { subsampled(digits, 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("stride: expected at least 1, got 0")));
}

TEST(EmbeddedMnist14, HoldsTheTrainingDigitsInMnistsOrder) {
  const Digits digits = embedded_mnist14();
  EXPECT_EQ(digits.count, 60'000);
  EXPECT_EQ(digits.rows, 14);
  EXPECT_EQ(digits.columns, 14);
  ASSERT_EQ(digits.pixels.size(), 60'000U * 14 * 14);
  ASSERT_EQ(digits.labels.size(), 60'000U);
  const std::vector<std::uint8_t> first(digits.labels.begin(), digits.labels.begin() + 10);
  EXPECT_THAT(first, ElementsAre(5, 0, 4, 1, 9, 2, 1, 3, 1, 4));
  // How often each digit occurs in MNIST's training set.
  std::array<int, 10> counts{};
  std::for_each(digits.labels.begin(), digits.labels.end(), [&](std::uint8_t label) { ++counts.at(label); });
  EXPECT_THAT(counts, ElementsAreArray({5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
}

TEST(EmbeddedMnist14, IsTheAssetFile) {
  EXPECT_EQ(unpack_mnist14(asset()), embedded_mnist14());
}

TEST(UnpackMnist14, RefusesADamagedAsset) {
  const Bytes whole = asset();
  const auto refused = ThrowsMessage<std::runtime_error>(HasSubstr("(mnist14.zst) are damaged"));
  EXPECT_THAT([] { unpack_mnist14({}); }, refused);
  EXPECT_THAT([] { unpack_mnist14(Bytes(1000, 'x')); }, refused);
  EXPECT_THAT([&] { unpack_mnist14(without_last(whole, 1)); }, refused);
  EXPECT_THAT([&] { unpack_mnist14(without_last(whole, whole.size() / 2)); }, refused);
  EXPECT_THAT([&] { unpack_mnist14(joined(whole, {0})); }, refused);
  for (const std::size_t at : {std::size_t{0}, std::size_t{6}, whole.size() / 2, whole.size() - 1}) {
    Bytes damaged = whole;
    damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ 1U);
    EXPECT_THAT([&] { unpack_mnist14(damaged); }, refused) << at;
  }
}

}  // namespace
}  // namespace pair::data::testing::digits_test
