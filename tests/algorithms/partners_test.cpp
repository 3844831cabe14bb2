#include "pair/algorithms/partners.h"

#include <gmock/gmock.h>

namespace pair::algorithms::partners_test {
namespace {

// By trying every sample.
std::vector<std::int64_t> plain_partners(const std::vector<double>& same, const std::vector<double>& other,
                                         data::Random& random) {
  std::vector<std::int64_t> partners;
  for (std::size_t i = 0; i < same.size(); ++i) {
    std::vector<std::int64_t> candidates;
    for (std::size_t j = 0; j < same.size(); ++j) {
      if (same[j] == same[i] && other[j] != other[i]) {
        candidates.push_back(static_cast<std::int64_t>(j));
      }
    }
    partners.push_back(candidates.empty() ? static_cast<std::int64_t>(i)
                                          : candidates[random.below(candidates.size())]);
  }
  return partners;
}

TEST(Partners, AreThoseOfTryingEverySample) {
  data::Random draws(1, "samples");
  for (const std::size_t samples : {1, 2, 7, 60, 300}) {
    for (const std::uint64_t values : {1, 2, 5, 40}) {
      std::vector<double> same;
      std::vector<double> other;
      for (std::size_t i = 0; i < samples; ++i) {
        same.push_back(static_cast<double>(draws.below(values)));
        other.push_back(static_cast<double>(draws.below(3)));
      }
      data::Random one(2, "partners");
      data::Random two(2, "partners");
      EXPECT_EQ(partners_of(same, other, one), plain_partners(same, other, two)) << samples << ' ' << values;
    }
  }
}

TEST(Partners, OfNoSamplesAreNone) {
  data::Random random(1, "partners");
  EXPECT_THAT(partners_of({}, {}, random), ::testing::IsEmpty());
}

}  // namespace
}  // namespace pair::algorithms::partners_test
