#include "pair/base/registry.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace pair::base {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct NamedEntry {
  std::string name;
};

Registry<NamedEntry> two_entries() {
  return {"objective", {{"erm"}, {"vrex"}}};
}

TEST(Registry, ListsAddedEntriesLast) {
  Registry<NamedEntry> registry = two_entries();
  registry.add({"own"});
  ASSERT_EQ(registry.entries().size(), 3U);
  EXPECT_EQ(registry.entries().back().name, "own");
}

TEST(Registry, RefusesANameThatExistsOrIsEmpty) {
  Registry<NamedEntry> registry = two_entries();
  EXPECT_THAT([&] { registry.add({"vrex"}); },
              ThrowsMessage<std::invalid_argument>("objective: expected a new name, got 'vrex'"));
  EXPECT_THAT([&] { registry.add({""}); },
              ThrowsMessage<std::invalid_argument>("objective: expected a new name, got ''"));
  EXPECT_EQ(registry.entries().size(), 2U);
}

TEST(Registry, DoesNotGrowAfterItHasBeenRead) {
  Registry<NamedEntry> registry = two_entries();
  const NamedEntry& first = registry.entries().front();
  EXPECT_THAT([&] { registry.add({"own"}); }, ThrowsMessage<std::logic_error>(HasSubstr("objective 'own'")));
  EXPECT_EQ(first.name, "erm");
}

}  // namespace
}  // namespace pair::base
