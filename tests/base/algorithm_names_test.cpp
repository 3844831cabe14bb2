#include "pair/base/algorithm_names.h"

#include <gtest/gtest.h>

namespace pair::base::algorithm_names_test {
namespace {

TEST(AlgorithmNames, AreOursForDomainBedsHoweverWritten) {
  EXPECT_EQ(our_algorithm("IRM"), "irmv1");
  EXPECT_EQ(our_algorithm("irm"), "irmv1");
  EXPECT_EQ(our_algorithm("IRMv1"), "irmv1");
  EXPECT_EQ(our_algorithm("VREx"), "vrex");
  EXPECT_EQ(our_algorithm("IB_IRM"), "ib-irm");
  EXPECT_EQ(our_algorithm("ib-erm"), "ib-erm");
  EXPECT_EQ(our_algorithm("groupDRO"), "groupdro");
}

TEST(AlgorithmNames, AreDomainBedsForOurs) {
  EXPECT_EQ(domainbed_algorithm("irmv1"), "IRM");
  EXPECT_EQ(domainbed_algorithm("mixup"), "Mixup");
  EXPECT_EQ(domainbed_algorithm("Fishr"), "Fishr");
}

TEST(AlgorithmNames, OfOneProgramAloneHaveNoOther) {
  for (const char* name : {"SelfReg", "SagNet", "lisa", "pair", "irmx", "clove", ""}) {
    EXPECT_EQ(our_algorithm(name), "") << name;
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
