#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>

#include "pair/base/registry.h"
#include "pair/data/environment.h"
#include "pair/data/registry.h"
#include "pair/data/table_encoding.h"
#include "tests/support/scratch.h"

namespace pair::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TableData : public ::testing::Test {
 protected:
  // 20 rows per site; y is `label` of the row's number.
  EnvironmentSet made(const std::function<std::string(int)>& label,
                      std::vector<std::pair<std::string, std::string>> changes = {}) {
    const std::filesystem::path file = scratch.path() / "t.csv";
    std::ofstream out(file);
    out << "site,x,c,y\n";
    for (int i = 0; i < 60; ++i) {
      out << "nsw"[i % 3] << ',' << i << ',' << (i % 2 == 0 ? "u" : "v") << ',' << label(i) << '\n';
    }
    out.close();
    changes.insert(changes.begin(), {{"file", file.string()}, {"label", "y"}, {"environment", "site"}});
    const base::Options options = base::with_changes(entry_of("table").options, changes);
    validate(Dataset{"table", options});
    names = environment_names(Dataset{"table", options});
    return entry_of("table").make(options, 0);
  }

  tests::Scratch scratch{std::filesystem::temp_directory_path()};
  std::vector<std::string> names;
};

std::vector<std::string> keys(const std::vector<Environment>& environments) {
  std::vector<std::string> keys;
  for (const Environment& environment : environments) {
    keys.push_back(environment.key + (environment.test ? "!" : ""));
  }
  return keys;
}

TEST_F(TableData, TestEnvironmentsAreScoredAndNotTrainedOn) {
  const EnvironmentSet set = made([](int i) { return i % 4 < 2 ? "a" : "b"; }, {{"test_envs", "1"}});
  EXPECT_THAT(names, ElementsAre("n", "s", "w"));
  EXPECT_THAT(keys(set.train), ElementsAre("env0_in", "env2_in"));
  EXPECT_THAT(keys(set.held_out), ElementsAre("env0_out", "env1_in!", "env1_out", "env2_out"));
  EXPECT_EQ(set.train[0].inputs.sizes(), (std::vector<std::int64_t>{16, 3}));
  EXPECT_EQ(set.held_out[0].inputs.sizes(), (std::vector<std::int64_t>{4, 3}));
  EXPECT_THAT(set.description, AllOf(HasSubstr("60 rows"), HasSubstr("tested on 's'")));
}

TEST_F(TableData, NumbersAreStandardisedOnTheTrainingPart) {
  const EnvironmentSet set = made([](int i) { return i % 4 < 2 ? "a" : "b"; });
  const torch::Tensor x =
      torch::cat({set.train[0].inputs, set.train[1].inputs}).select(1, 0).to(torch::kDouble);
  EXPECT_NEAR(x.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR(x.square().mean().item<double>(), 1, 1e-5);
  const torch::Tensor categories = set.held_out[1].inputs.slice(1, 1);
  EXPECT_TRUE(torch::equal(categories.sum(1), torch::ones({categories.size(0)})));
}

TEST_F(TableData, TwoClassesAreABinaryTask) {
  const EnvironmentSet set = made([](int i) { return i % 4 < 2 ? "yes" : "no"; });
  EXPECT_EQ(set.loss, TaskLoss::binary_cross_entropy);
  EXPECT_EQ(set.outputs, 1);
  EXPECT_EQ(set.train[0].labels.scalar_type(), torch::kFloat);
  EXPECT_THAT(set.table->label.classes, ElementsAre("no", "yes"));
}

TEST_F(TableData, MoreClassesHaveALogitEach) {
  const EnvironmentSet set = made([](int i) { return std::to_string(i % 5); });
  EXPECT_EQ(set.loss, TaskLoss::cross_entropy);
  EXPECT_EQ(set.outputs, 5);
  EXPECT_EQ(set.train[0].labels.scalar_type(), torch::kLong);
  EXPECT_EQ(set.train[0].labels.max().item<std::int64_t>(), 4);
}

TEST_F(TableData, OtherNumbersAreARegression) {
  const EnvironmentSet set = made([](int i) { return std::to_string(i * i) + ".5"; });
  EXPECT_EQ(set.loss, TaskLoss::squared_error);
  EXPECT_EQ(set.outputs, 1);
  const torch::Tensor y = torch::cat({set.train[0].labels, set.train[1].labels}).to(torch::kDouble);
  EXPECT_NEAR(y.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR(y.square().mean().item<double>(), 1, 1e-5);
}

TEST_F(TableData, ARowEncodedAloneIsItsInputs) {
  const EnvironmentSet set = made([](int i) { return i % 4 < 2 ? "a" : "b"; });
  // Row 1 of the file is the first of 's', environment 1.
  std::vector<float> inputs(set.table->width());
  bool found = false;
  for (int i = 1; i < 60 && !found; i += 3) {
    const std::string x = std::to_string(i);
    set.table->encode(std::vector<std::string_view>{x, i % 2 == 0 ? "u" : "v"}, inputs);
    found = torch::equal(set.train[0].inputs[0], torch::tensor(inputs));
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace pair::data
