#include "pair/data/table_environments.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/data/table_file.h"

namespace pair::data::testing::table_environments_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TableEnvironments, AreInTheOrderOfTheirNames) {
  const TableFile file;
  EXPECT_THAT(environment_names(file.spec()), ElementsAre("A", "B", "C"));
  TableSpec years = file.spec();
  years.environment = {"year"};
  EXPECT_THAT(environment_names(years), ElementsAre("2019", "2020"));
}

TEST(TableEnvironments, AreCombinationsOfSeveralColumns) {
  const TableFile file;
  TableSpec spec = file.spec();
  spec.environment = {"hospital", "year"};
  EXPECT_THAT(environment_names(spec),
              ElementsAre("A/2019", "A/2020", "B/2019", "B/2020", "C/2019", "C/2020"));
}

TEST(TableEnvironments, AreInEveryRowAndAtLeastTwo) {
  const auto refuses = [](std::string_view text, const char* sentence) {
    const TableFile file(text);
    const TableSpec spec{.file = file.file().string(), .label = "y", .environment = {"e"}};
    EXPECT_THAT([&] { (void)environment_names(spec); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses("e,x,y\na,1,0\na,2,1\n", "environment: expected at least 2 environments, got 'a' in every row");
  refuses("e,x,y\na,1,0\n,2,1\n",
          "environment 'e': expected a value in every row, got 1 row without, in line 3");
}

}  // namespace
}  // namespace pair::data::testing::table_environments_test
