#include <gmock/gmock.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <string>
#include <vector>

#include "pair/sweep/many_runs.h"
#include "tests/runs/fixtures.h"

// Tests that need a CUDA device; skipped without one.

namespace pair::sweep::device_test {
namespace {

using runs::RunSpec;
using runs::testing::Scratch;
using ::testing::HasSubstr;

// All but three halves of a GiB of the device's memory are taken, and a run needs about half a one.
TEST(ManyRuns, ThatTheDeviceHasNoMemoryForAreMadeFewer) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device here";
  }
  const Scratch scratch;
  std::vector<torch::Tensor> taken;
  try {
    for (;;) {
      taken.push_back(torch::empty({1 << 29}, torch::TensorOptions(torch::kCUDA).dtype(torch::kByte)));
    }
  } catch (const c10::Error&) {
    ASSERT_GT(taken.size(), 4U);
    taken.resize(taken.size() - 3);
  }
  std::vector<RunSpec> specs;
  for (int seed = 0; seed < 8; ++seed) {
    const base::Assignments settings = {
        {"device", "cuda"}, {"steps", "40"}, {"pretrain", "10"}, {"seed", std::to_string(seed)}};
    specs.push_back(runs::resolve("cmnist", "pair", settings));
  }
  std::vector<std::string> notices;
  ManyRunsHooks hooks;
  hooks.notice = [&](std::string_view sentence) { notices.emplace_back(sentence); };
  const ManyRuns runs = run_all(specs, scratch.path(), 0, hooks);
  for (const RunOutcome& outcome : runs.outcomes) {
    EXPECT_EQ(outcome.status, RunOutcome::Status::done) << outcome.error;
  }
  EXPECT_THAT(notices, ::testing::Contains(HasSubstr("concurrent runs are limited")));
}

}  // namespace
}  // namespace pair::sweep::device_test
