#include "pair/data/domainbed_mnist_spec.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

namespace pair::data::domainbed_mnist_spec_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

auto refused(const std::string& sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
}

auto validating(const DomainBedMnistSpec& spec, std::int64_t count = 70'000) {
  return [spec, count] { validate(spec, count); };
}

TEST(DomainBedMnistSpec, SaysWhatIsExpectedAsTestEnvironments) {
  DomainBedMnistSpec spec;
  spec.test_envs = {};
  EXPECT_THAT(validating(spec), refused("test_envs: expected a list of integers"));
  spec.test_envs = {3};
  EXPECT_THAT(validating(spec), refused("test_envs: expected numbers from 0 to 2, each once, got 3"));
  spec.test_envs = {-1};
  EXPECT_THAT(validating(spec), refused("test_envs: expected a list of integers from 0 to 5"));
  spec.test_envs = {1, 1};
  EXPECT_THAT(validating(spec), refused("got 1 twice"));
  spec.test_envs = {0, 1, 2};
  EXPECT_THAT(validating(spec),
              refused("test_envs: expected at least one environment left for training, got all 3"));
  spec.test_envs = {2, 0};
  validate(spec);
}

TEST(DomainBedMnistSpec, LimitsDigitsAndHoldout) {
  const std::string declared =
      "digits: expected an integer from 30 (RotatedMNIST: 60) to the number of digits, got ";
  DomainBedMnistSpec spec;
  spec.digits = 29;
  EXPECT_THAT(validating(spec), refused(declared + "'29'"));
  spec.variant = DomainBedMnistSpec::Variant::rotated;
  spec.digits = 59;
  EXPECT_THAT(validating(spec), refused(declared + "'59'"));
  spec.digits = 60;
  validate(spec);
  spec.variant = DomainBedMnistSpec::Variant::coloured;
  spec.digits = 101;
  EXPECT_THAT(validating(spec, 100),
              refused("digits: expected at most 100, the number of digits in the data, got 101"));
  spec.digits = 100;
  validate(spec, 100);
  for (const double holdout : {0.0, 1.0, -0.5, std::nan("")}) {
    spec.holdout = holdout;
    EXPECT_THAT(validating(spec, 100), refused("holdout: expected a number above 0 and below 1"));
  }
}

}  // namespace
}  // namespace pair::data::domainbed_mnist_spec_test
