// docs/records.md names every key that records have.

#include "pair/runs/records.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/docs/documents.h"
#include "tests/support/scratch.h"

namespace pair::docs::testing {
namespace {

using nlohmann::json;

// The names of a page: `step`, `env{i}_in_acc`, ...
bool names(const std::string& page, const std::string& key) {
  return page.find("`" + std::regex_replace(key, std::regex("^env[0-9]+_"), "env{i}_") + "`") !=
         std::string::npos;
}

TEST(RecordsDocument, NamesEveryKey) {
  const tests::Scratch scratch;
  const std::string page = text_of("docs/records.md");
  const std::string small =
      " --steps 8 --set train_digits=200 test_digits=50 width=4 pretrain=3 eval_every=4 holdout=0.2";
  const std::vector<std::string> trainings = {
      "pair train --out pair" + small,
      "pair train --name mine --out tracked" + small + " batch=16 average=0.5",
      "pair train --algorithm dann --out dann --steps 8 --set train_digits=200 test_digits=50 width=4" +
          std::string(" eval_every=4"),
      "pair train --algorithm irmv1 --out irmv1" + small,
      "pair train --dataset extrapolation-uniform --algorithm erm --out points --steps 4 --set eval_every=4"};
  std::size_t keys = 0;
  for (const std::string& training : trainings) {
    const Ended ended = shell(training, scratch.path());
    ASSERT_EQ(ended.status, 0) << training << "\n" << ended.err;
    const std::size_t at = training.find("--out ") + 6;
    const std::string run = training.substr(at, training.find(' ', at) - at);
    for (const json& record : runs::read_records(scratch / run / "results.jsonl")) {
      for (const auto& [key, value] : record.items()) {
        EXPECT_TRUE(names(page, key)) << key << " of " << training;
        ++keys;
      }
      for (const auto& [key, value] : record.at("args").items()) {
        EXPECT_TRUE(names(page, key)) << "args." << key << " of " << training;
      }
    }
  }
  EXPECT_GT(keys, 100U);
  EXPECT_FALSE(names(page, "env0_in_time"));
}

}  // namespace
}  // namespace pair::docs::testing
