#include "pair/runs/record_keys.h"

#include <gtest/gtest.h>

#include <optional>

namespace pair::runs::record_keys_test {
namespace {

TEST(RecordKeys, HaveTheNumberOfTheirEnvironment) {
  EXPECT_EQ(environment_number("env12_out"), 12U);
  EXPECT_EQ(environment_number("env0_in"), 0U);
  EXPECT_EQ(environment_number("val"), std::nullopt);
  EXPECT_EQ(environment_number("environment"), std::nullopt);
  EXPECT_EQ(environment_number("env-1_in"), std::nullopt);
  EXPECT_EQ(environment_key("env12_out_acc")->rest, "_out_acc");
}

TEST(RecordKeys, HaveTheNameOfTheirEnvironment) {
  EXPECT_EQ(environment_name("env1_out", {"art", "photo"}), "photo");
  EXPECT_EQ(environment_name("env2_in", {"art", "photo"}), "env2_in");
  EXPECT_EQ(environment_name("id_test", {"art", "photo"}), "id_test");
}

TEST(RecordKeys, TellHowARunUsesTheSamples) {
  EXPECT_EQ(part_of("env0_in", false, false), "train");
  EXPECT_EQ(part_of("env0_out", false, false), "train, held out");
  EXPECT_EQ(part_of("env1_in", true, true), "test");
  EXPECT_EQ(part_of("env1_out", true, false), "test, held out");
  EXPECT_EQ(part_of("env1_in", true, false), "validation");
  EXPECT_EQ(part_of("val", false, false), "validation");
  EXPECT_EQ(part_of("id_test", false, false), "train, held out");
  EXPECT_EQ(part_of("test", false, true), "test");
}

}  // namespace
}  // namespace pair::runs::record_keys_test
