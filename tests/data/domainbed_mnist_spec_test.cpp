#include "pair/data/domainbed_mnist_spec.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "pair/data/dataset_spec.h"

namespace pair::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

auto refused(const std::string& sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
}

auto validating(const DomainBedMnistSpec& spec, std::int64_t count = 70'000) {
  return [spec, count] { validate(spec, count); };
}

TEST(DomainBedMnistSpec, IsADatasetByDomainBedsNames) {
  const DatasetSpec coloured = dataset_named("ColoredMNIST");
  EXPECT_EQ(name_of(coloured), "ColoredMNIST");
  EXPECT_THAT(environment_names(coloured), ElementsAre("+90%", "+80%", "-90%"));
  EXPECT_THAT(test_environments(coloured), ElementsAre(2));
  const DatasetSpec rotated = dataset_named("RotatedMNIST");
  EXPECT_EQ(name_of(rotated), "RotatedMNIST");
  EXPECT_THAT(environment_names(rotated), ElementsAre("0", "15", "30", "45", "60", "75"));
  EXPECT_THAT(test_environments(rotated), ElementsAre(5));
  EXPECT_THAT([] { (void)dataset_named("ColouredMNIST"); }, refused("did you mean 'ColoredMNIST'"));
}

TEST(DomainBedMnistSpec, SaysWhatIsAcceptedAsTestEnvironments) {
  DomainBedMnistSpec spec;
  spec.test_envs = {};
  EXPECT_THAT(validating(spec), refused("test_envs is empty; accepted are 0 to 2, each once, at least one"));
  spec.test_envs = {3};
  EXPECT_THAT(validating(spec), refused("test_envs has 3; accepted are 0 to 2"));
  spec.test_envs = {-1};
  EXPECT_THAT(validating(spec), refused("test_envs has -1"));
  spec.test_envs = {1, 1};
  EXPECT_THAT(validating(spec), refused("test_envs has 1 twice"));
  spec.test_envs = {0, 1, 2};
  EXPECT_THAT(validating(spec),
              refused("test_envs has all 3 environments; at least one must be left to train on"));
  spec.test_envs = {2, 0};
  validate(spec);
}

TEST(DomainBedMnistSpec, LimitsDigitsAndHoldout) {
  DomainBedMnistSpec spec;
  spec.digits = 29;
  EXPECT_THAT(validating(spec), refused("digits is 29; accepted are 30 to 70000"));
  spec.digits = 101;
  EXPECT_THAT(validating(spec, 100), refused("digits is 101; accepted are 30 to 100"));
  spec.digits = 100;
  validate(spec, 100);
  for (const double holdout : {0.0, 1.0, -0.5, std::nan("")}) {
    spec.holdout = holdout;
    EXPECT_THAT(validating(spec, 100), refused("; accepted are numbers above 0 and below 1"));
  }
}

}  // namespace
}  // namespace pair::data
