#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>

#include "pair/select/domainbed.h"
#include "pair/select/read_histories.h"
#include "pair/select/table.h"

// Made-up sweeps, and the tables that DomainBed's own collector prints for them (golden/make.py has run it):
// complete; with runs and records missing; with ten trials, where sums in another order round to other digits.

namespace pair::select::golden_test {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string all_tables(const History& history) {
  std::string text;
  for (const Selection& selection : {train_domain(history), leave_one_out(history), oracle(history)}) {
    for (const Table& table : tables_of(selection, history)) {
      text += (text.empty() ? "" : "\n") + as_text(table);
    }
  }
  return text;
}

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, TablesAreDomainBedsToTheDigit) {
  const std::filesystem::path folder = std::filesystem::path(PAIR_TEST_DATA) / "golden" / GetParam();
  const Histories histories = read_histories(std::vector{folder});
  EXPECT_THAT(histories.left_out, ::testing::IsEmpty());
  const std::string expected = content_of(folder / "tables.txt");
  ASSERT_THAT(expected, ::testing::StartsWith("-------- Dataset: "));
  EXPECT_EQ(all_tables(histories.history), expected);
}

INSTANTIATE_TEST_SUITE_P(Sweeps, Golden, ::testing::Values("complete", "incomplete", "ten_trials"),
                         [](const auto& sweep) { return std::string(sweep.param); });

}  // namespace
}  // namespace pair::select::golden_test
