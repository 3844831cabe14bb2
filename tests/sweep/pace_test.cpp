#include "pair/sweep/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace pair::sweep::pace_test {
namespace {

using Clock = Pace::Clock;

// The number of runs after a minute of measuring every 10 ms, on a device with these steps per second by
// number of concurrent runs.
std::size_t found(std::size_t most, const std::function<double(std::size_t)>& rate) {
  Clock::time_point now{};
  Pace pace(most, now);
  double steps = 0.0;
  for (int i = 0; i < 6000; ++i) {
    now += std::chrono::milliseconds(10);
    steps += 0.01 * rate(pace.allowed());
    pace.took(static_cast<std::int64_t>(steps), pace.allowed(), now);
  }
  EXPECT_TRUE(pace.settled());
  return pace.allowed();
}

TEST(Pace, FindsWhereMoreRunsNoLongerPay) {
  EXPECT_EQ(found(64, [](std::size_t) { return 1000.0; }), 4U);
  EXPECT_EQ(found(64, [](std::size_t runs) { return 1000.0 * std::min(static_cast<double>(runs), 16.0); }),
            16U);
  EXPECT_EQ(
      found(64, [](std::size_t runs) { return runs <= 8 ? 1000.0 * static_cast<double>(runs) : 7000.0; }),
      8U);
}

TEST(Pace, StaysWithinItsLimit) {
  EXPECT_EQ(found(1, [](std::size_t runs) { return 1000.0 * static_cast<double>(runs); }), 1U);
  EXPECT_EQ(found(6, [](std::size_t runs) { return 1000.0 * static_cast<double>(runs); }), 6U);
}

TEST(Pace, WaitsForRunsThatAreNotBegun) {
  Clock::time_point now{};
  Pace pace(8, now);
  for (int i = 0; i < 1000; ++i) {
    now += std::chrono::milliseconds(10);
    pace.took(i, 0, now);
  }
  EXPECT_FALSE(pace.settled());
  EXPECT_EQ(pace.allowed(), 4U);
}

TEST(Pace, NeverAllowsMoreThanThereIsRoomFor) {
  Clock::time_point now{};
  Pace pace(64, now);
  const auto grow = [&](int looks) {
    double steps = 0.0;
    for (int i = 0; i < looks; ++i) {
      now += std::chrono::milliseconds(10);
      steps += 10.0 * static_cast<double>(pace.allowed());
      pace.took(static_cast<std::int64_t>(steps), pace.allowed(), now);
    }
  };
  grow(200);
  ASSERT_EQ(pace.allowed(), 8U);
  pace.limit(5);
  EXPECT_EQ(pace.allowed(), 4U) << "the last number that was found to pay";
  grow(2000);
  EXPECT_LE(pace.allowed(), 5U);
  pace.limit(0);
  EXPECT_EQ(pace.allowed(), 1U);
}

}  // namespace
}  // namespace pair::sweep::pace_test
