#include "pair/algorithms/registry.h"

#include <gmock/gmock.h>

#include "pair/base/algorithm_names.h"

namespace pair::algorithms::registry_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(AlgorithmRegistry, FindsAnAlgorithmByItsNameInAnyCaseAndByDomainBeds) {
  EXPECT_EQ(algorithm_named("irmv1").name, "irmv1");
  EXPECT_EQ(algorithm_named("IRMv1").name, "irmv1");
  EXPECT_EQ(algorithm_named("IRM").name, "irmv1");
  EXPECT_EQ(algorithm_named("IB_ERM").name, "ib-erm");
  EXPECT_THAT([] { (void)algorithm_named("groupdr"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'groupdro'?")));
}

// 'pair select' has some of DomainBed's names in a table of its own, for records that do not say.
TEST(AlgorithmRegistry, HasDomainBedsNamesAsTheTableForOldRecordsHasThem) {
  int known = 0;
  for (const AlgorithmEntry& entry : algorithms()) {
    const std::string_view there = base::domainbed_algorithm(entry.name);
    EXPECT_TRUE(there.empty() || there == entry.domainbed) << entry.name;
    known += there.empty() ? 0 : 1;
  }
  EXPECT_GE(known, 14);
}

TEST(AlgorithmRegistry, EveryEntryIsNamedOnceAndExplained) {
  for (const AlgorithmEntry& entry : algorithms()) {
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_EQ(&algorithm_named(entry.name), &entry);
  }
}

}  // namespace
}  // namespace pair::algorithms::registry_test
