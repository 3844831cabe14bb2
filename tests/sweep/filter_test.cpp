#include "pair/sweep/filter.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace pair::sweep::filter_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// ColoredMNIST with 6 sets of test environments and cmnist with one; 2 algorithms, 2 draws, 2 trials.
std::vector<Definition> sweep() {
  Definition first;
  first.datasets = {"ColoredMNIST", "cmnist"};
  first.algorithms = {"irmv1", "vrex"};
  first.n_hparams = 2;
  first.n_trials = 2;
  first.set = {{"steps", "100"}};
  Definition second = first;
  second.datasets = {"cmnist"};
  second.algorithms = {"erm"};
  second.search = Search::paper;
  second.set = {{"steps", "200"}};
  return {first, second};
}

std::size_t count(const Filter& filter) {
  return filtered(sweep(), filter).size();
}

TEST(Filter, ThatSaysNothingKeepsAll) {
  EXPECT_EQ(count({}), (6U + 1) * 2 * 2 * 2 + 4);
}

TEST(Filter, KeepsTheNamedDatasetsAndAlgorithms) {
  Filter filter;
  filter.datasets = {"cmnist"};
  EXPECT_EQ(count(filter), 2U * 2 * 2 + 4);
  filter.algorithms = {"IRM"};
  const std::vector<Job> jobs = filtered(sweep(), filter);
  EXPECT_EQ(jobs.size(), 4U);
  EXPECT_TRUE(std::all_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return job.spec.algorithm == "irmv1" && job.spec.dataset.name == "cmnist";
  }));
}

TEST(Filter, KeepsTheFirstDrawsAndTrials) {
  Filter filter;
  filter.n_hparams = 1;
  EXPECT_EQ(count(filter), 30U);
  filter.n_trials = 1;
  EXPECT_EQ(count(filter), 15U);
  filter.n_trials = 50;
  EXPECT_EQ(count(filter), 30U);
}

TEST(Filter, KeepsSetsOfTestEnvironmentsInAnyOrder) {
  Filter filter;
  filter.test_envs = {{2, 0}, {1}};
  EXPECT_EQ(count(filter), 2U * 2 * 2 * 2);
  filter.single_test_envs = true;
  EXPECT_EQ(count(filter), 2U * 2 * 2);
}

TEST(Filter, KeepsWhatHasTheSettingsAndTheSearch) {
  Filter filter;
  filter.set = {{"steps", "200"}, {"device", "cpu"}};
  EXPECT_EQ(count(filter), 4U);
  filter.set = {{"penalty", "1e5"}};
  EXPECT_EQ(filtered(sweep(), filter).front().spec.algorithm, "irmv1");
  filter = {};
  filter.search = Search::paper;
  EXPECT_EQ(count(filter), 4U);
}

TEST(Filter, RefusesWhatTheSweepDoesNotHave) {
  Filter filter;
  filter.algorithms = {"vrx"};
  EXPECT_THAT([&] { count(filter); },
              ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("unknown algorithm of the sweep 'vrx'"),
                                                         HasSubstr("did you mean 'vrex'"))));
  filter = {};
  filter.datasets = {"RotatedMNIST"};
  EXPECT_THAT([&] { count(filter); }, ThrowsMessage<std::invalid_argument>(HasSubstr("'RotatedMNIST'")));
  filter = {};
  filter.set = {{"steps", "300"}};
  EXPECT_THAT([&] { count(filter); }, ThrowsMessage<std::invalid_argument>(HasSubstr("no run of the sweep")));
  filter.set = {{"stepz", "300"}};
  EXPECT_THAT([&] { count(filter); }, ThrowsMessage<std::invalid_argument>(HasSubstr("'steps'")));
  filter = {};
  filter.n_trials = 0;
  EXPECT_THAT([&] { count(filter); }, ThrowsMessage<std::invalid_argument>(
                                          HasSubstr("n_trials: expected an integer of at least 1, got 0")));
}

}  // namespace
}  // namespace pair::sweep::filter_test
