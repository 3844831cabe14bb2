#include "pair/base/algorithm_names.h"

#include <gtest/gtest.h>

namespace pair::base::algorithm_names_test {
namespace {

TEST(AlgorithmNames, AreDomainBedsHoweverWritten) {
  EXPECT_EQ(domainbed_algorithm("irmv1"), "IRM");
  EXPECT_EQ(domainbed_algorithm("irm"), "IRM");
  EXPECT_EQ(domainbed_algorithm("IRMv1"), "IRM");
  EXPECT_EQ(domainbed_algorithm("ib-irm"), "IB_IRM");
  EXPECT_EQ(domainbed_algorithm("groupDRO"), "GroupDRO");
  EXPECT_EQ(domainbed_algorithm("mixup"), "Mixup");
  EXPECT_EQ(domainbed_algorithm("Fishr"), "Fishr");
}

TEST(AlgorithmNames, OfOneProgramAloneHaveNoOther) {
  for (const char* name : {"SelfReg", "SagNet", "lisa", "pair", "irmx", "clove", ""}) {
    EXPECT_EQ(domainbed_algorithm(name), "") << name;
  }
}

TEST(AlgorithmNames, AreTheSameWhereTheyMeanOneAlgorithm) {
  EXPECT_TRUE(same_algorithm("IRM", "irmv1"));
  EXPECT_TRUE(same_algorithm("SagNet", "sagnet"));
  EXPECT_FALSE(same_algorithm("Fish", "Fishr"));
  EXPECT_FALSE(same_algorithm("irmx", "irmv1"));
}

}  // namespace
}  // namespace pair::base::algorithm_names_test
