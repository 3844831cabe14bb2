#include "pair/select/means.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace pair::select::means_test {
namespace {

TEST(Figures, AreTheMeanAndTheStandardErrorInPerCent) {
  const MeanAndError figure = mean_and_error(std::vector<double>{0.5, 0.6, 0.7});
  EXPECT_DOUBLE_EQ(figure.mean, 60.0);
  EXPECT_NEAR(figure.error, 100.0 * std::sqrt(0.02 / 3) / std::sqrt(3.0), 1e-12);
}

TEST(Figures, HaveNoErrorWithOneTrial) {
  const MeanAndError figure = mean_and_error(std::vector<double>{0.712});
  EXPECT_DOUBLE_EQ(figure.mean, 71.2);
  EXPECT_EQ(figure.error, 0.0);
}

TEST(Figures, HaveNoMeanWithoutValues) {
  EXPECT_TRUE(std::isnan(mean({})));
}

// The bits that numpy.sum gave; adding one after another gives others for 8 and more.
TEST(Figures, AddInTheOrderOfNumPy) {
  std::vector<double> values;
  for (int i = 1; i <= 300; ++i) {
    values.push_back(1.0 / i);
  }
  EXPECT_EQ(pairwise_sum(std::span(values).first(7)), 0x1.4be2be2be2be2p+1);
  EXPECT_EQ(pairwise_sum(std::span(values).first(8)), 0x1.5be2be2be2be2p+1);
  EXPECT_EQ(pairwise_sum(std::span(values).first(29)), 0x1.fb1778bd5af58p+1);
  EXPECT_EQ(pairwise_sum(std::span(values).first(130)), 0x1.5cb5b871c7c27p+2);
  EXPECT_EQ(pairwise_sum(values), 0x1.92172a3e6965ap+2);
}

}  // namespace
}  // namespace pair::select::means_test
