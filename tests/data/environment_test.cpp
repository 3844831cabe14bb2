#include "pair/data/environment.h"

#include <gtest/gtest.h>

namespace pair::data::environment_test {
namespace {

Environment environment(std::int64_t samples, std::int64_t first) {
  Environment result;
  result.key = "env" + std::to_string(first);
  result.inputs = torch::arange(first, first + 6 * samples).reshape({samples, 2, 3}).to(torch::kByte);
  result.labels = torch::arange(first, first + samples).to(torch::kFloat);
  return result;
}

TEST(Joined, PutsTensorsOneAfterAnother) {
  const torch::Tensor a = torch::arange(6).reshape({2, 3});
  const torch::Tensor b = torch::arange(9).reshape({3, 3});
  EXPECT_TRUE(torch::equal(joined({a, b}), torch::cat({a, b})));
  EXPECT_TRUE(torch::equal(joined({a}), a));
}

TEST(Joined, CopiesNothingThatLiesTogetherAlready) {
  const torch::Tensor whole = torch::arange(20).reshape({10, 2});
  const std::vector<torch::Tensor> parts = whole.split_with_sizes({3, 2, 5});
  EXPECT_TRUE(torch::equal(joined(parts), whole));
  EXPECT_EQ(joined(parts).data_ptr(), whole.data_ptr());
  const torch::Tensor end = joined({parts[1], parts[2]});
  EXPECT_TRUE(torch::equal(end, whole.slice(0, 3)));
  EXPECT_EQ(end.data_ptr(), parts[1].data_ptr());
}

TEST(Joined, CopiesWhatOnlySeemsToLieTogether) {
  const torch::Tensor whole = torch::arange(20).reshape({10, 2});
  const std::vector<torch::Tensor> parts = whole.split_with_sizes({3, 2, 5});
  EXPECT_TRUE(torch::equal(joined({parts[0], parts[2]}), torch::cat({parts[0], parts[2]})));
  EXPECT_TRUE(torch::equal(joined({parts[1], parts[0]}), torch::cat({parts[1], parts[0]})));
  const torch::Tensor columns = whole.t();
  EXPECT_TRUE(torch::equal(joined({columns, columns}), torch::cat({columns, columns})));
}

TEST(OnDevice, HoldsTheSameNumbersInOnePieceEach) {
  EnvironmentSet set;
  set.name = "some";
  set.train = {environment(4, 0), environment(2, 50)};
  set.held_out = {environment(3, 100)};
  const EnvironmentSet there = on_device(set, torch::kCPU);
  EXPECT_EQ(there.name, "some");
  ASSERT_EQ(there.train.size(), 2U);
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(there.train[e].key, set.train[e].key);
    EXPECT_TRUE(torch::equal(there.train[e].inputs, as_numbers(set.train[e].inputs)));
    EXPECT_TRUE(torch::equal(there.train[e].labels, set.train[e].labels));
  }
  EXPECT_TRUE(torch::equal(there.held_out[0].inputs, as_numbers(set.held_out[0].inputs)));
  EXPECT_EQ(joined({there.train[0].inputs, there.train[1].inputs}).data_ptr(),
            there.train[0].inputs.data_ptr());
}

}  // namespace
}  // namespace pair::data::environment_test
