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

// 'pair select' reads sweeps without LibTorch and has DomainBed's names in a table of its own.
TEST(AlgorithmRegistry, HasDomainBedsNamesAsSelectionHasThem) {
  for (const AlgorithmEntry& entry : algorithms()) {
    EXPECT_EQ(base::domainbed_algorithm(entry.name), entry.domainbed) << entry.name;
  }
}

TEST(AlgorithmRegistry, EveryEntryIsNamedOnceAndExplained) {
  for (const AlgorithmEntry& entry : algorithms()) {
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_EQ(&algorithm_named(entry.name), &entry);
  }
}

}  // namespace
}  // namespace pair::algorithms::registry_test
