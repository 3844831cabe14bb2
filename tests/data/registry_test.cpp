#include "pair/data/registry.h"

#include <gmock/gmock.h>

#include "pair/data/environment.h"

namespace pair::data::registry_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

auto refused(const std::string& sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
}

TEST(DatasetRegistry, HasDomainBedsUnderItsNames) {
  const Dataset coloured = dataset_named("ColoredMNIST");
  EXPECT_EQ(coloured.name, "ColoredMNIST");
  EXPECT_THAT(environment_names(coloured), ElementsAre("+90%", "+80%", "-90%"));
  EXPECT_THAT(test_environments(coloured), ElementsAre(2));
  const Dataset rotated = dataset_named("RotatedMNIST");
  EXPECT_THAT(environment_names(rotated), ElementsAre("0", "15", "30", "45", "60", "75"));
  EXPECT_THAT(test_environments(rotated), ElementsAre(5));
}

TEST(DatasetRegistry, KnowsOtherNamesAndSuggestsTheNearest) {
  EXPECT_EQ(dataset_named("cmnist-25"), dataset_named("cmnist"));
  EXPECT_EQ(dataset_named("cmnist-01").name, "cmnist-m");
  EXPECT_THAT([] { (void)dataset_named("ColouredMNIST"); }, refused("did you mean 'ColoredMNIST'"));
  EXPECT_THAT([] { (void)dataset_named("cmnst"); },
              refused("unknown dataset 'cmnst'; did you mean 'cmnist'?"));
}

TEST(DatasetRegistry, EveryEntryIsWholeAndItsDefaultsAreValid) {
  for (const DatasetEntry& entry : datasets()) {
    SCOPED_TRACE(entry.name);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_TRUE(entry.make && entry.environments && entry.test_environments);
    if (entry.name == "images") {
      EXPECT_THAT([] { validate(dataset_named("images")); }, refused("folder: expected a folder"));
      continue;  // what it has is in the user's folder
    }
    if (entry.name == "table") {
      EXPECT_THAT([] { validate(dataset_named("table")); }, refused("file: expected a CSV file, got none"));
      continue;  // what it has is in the user's file
    }
    if (entry.name == "text") {
      EXPECT_THAT([] { validate(dataset_named("text")); }, refused("file: expected a CSV file, got none"));
      continue;
    }
    // Its images are on the user's disk, its environments are known.
    if (entry.variant == "pictures" || entry.protocol == "wilds") {
      EXPECT_THAT([&] { validate(dataset_named(entry.name)); }, refused("data_root: expected the folder"));
    } else {
      EXPECT_NO_THROW(validate(dataset_named(entry.name)));
    }
    EXPECT_LT(test_environments(dataset_named(entry.name)).size(),
              environment_names(dataset_named(entry.name)).size());
  }
}

}  // namespace
}  // namespace pair::data::registry_test
