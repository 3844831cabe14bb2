#include "pair/train/moments.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <ostream>
#include <string>

#include "pair/objectives/losses.h"

// Compared with torch's derivatives, in doubles. tests/device/kernels_test.cpp compares a device's kernels
// with the same.

namespace pair::train::moments_test {
namespace {

using data::TaskLoss;

struct Case {
  TaskLoss loss;
  std::vector<std::int64_t> sizes;
};

// How GoogleTest shows it.
void PrintTo(const Case& one, std::ostream* out) {
  *out << data::to_string(one.loss);
  for (const std::int64_t size : one.sizes) {
    *out << ' ' << size;
  }
}

class OfMoments : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    torch::manual_seed(3);
    const auto& [loss, sizes] = GetParam();
    std::int64_t n = 0;
    for (const std::int64_t size : sizes) {
      n += size;
    }
    const std::int64_t outputs = loss == TaskLoss::cross_entropy ? 4 : 1;
    logits = (3 * torch::randn({n, outputs}, torch::kDouble)).requires_grad_(true);
    labels = loss == TaskLoss::cross_entropy ? torch::randint(4, {n}, torch::kLong)
                                             : torch::randint(2, {n}, torch::kDouble);
    // R_e(w z), and its derivative in w.
    factor = torch::ones({}, torch::kDouble).requires_grad_(true);
    risks = objectives::risks_of(loss, logits * factor, labels, sizes);
    std::vector<torch::Tensor> each;
    for (std::int64_t e = 0; e < risks.size(0); ++e) {
      each.push_back(torch::autograd::grad({risks[e]}, {factor}, {}, true, /*create_graph=*/true)[0]);
    }
    derivatives = torch::stack(each);
  }

  torch::Tensor logits, labels, factor, risks, derivatives;
};

TEST_P(OfMoments, AreRisksAndTheirDerivativesInAFactor) {
  const auto& [loss, sizes] = GetParam();
  const Moments found = moments_of(loss, logits, labels, sizes, /*derivatives=*/true);
  EXPECT_TRUE(torch::allclose(found.risks, risks));
  EXPECT_TRUE(torch::allclose(found.derivatives, derivatives));
  EXPECT_FALSE(found.risks.requires_grad());
  EXPECT_FALSE(moments_of(loss, logits, labels, sizes, /*derivatives=*/false).derivatives.defined());
}

TEST_P(OfMoments, TheBackwardPassEqualsTorchs) {
  const auto& [loss, sizes] = GetParam();
  const auto environments = static_cast<std::int64_t>(sizes.size());
  const torch::Tensor by_risks = torch::randn({3, environments}, torch::kDouble);
  const torch::Tensor by_derivatives = torch::randn({3, environments}, torch::kDouble);
  const torch::Tensor both = through_moments(loss, logits, labels, sizes, by_risks, by_derivatives);
  const torch::Tensor of_risks = through_moments(loss, logits, labels, sizes, by_risks, {});
  for (std::int64_t k = 0; k < 3; ++k) {
    const torch::Tensor first = (by_risks[k] * risks).sum();
    const torch::Tensor second = (by_derivatives[k] * derivatives).sum();
    const auto expected = [&](const torch::Tensor& value) {
      return torch::autograd::grad({value}, {logits}, {}, /*retain_graph=*/true)[0];
    };
    EXPECT_TRUE(torch::allclose(both[k], expected(first + second)));
    EXPECT_TRUE(torch::allclose(of_risks[k], expected(first)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OfMoments,
    ::testing::Values(Case{TaskLoss::binary_cross_entropy, {5, 5, 5}},
                      Case{TaskLoss::binary_cross_entropy, {1, 6, 3}}, Case{TaskLoss::cross_entropy, {4, 4}},
                      Case{TaskLoss::cross_entropy, {2, 7}}, Case{TaskLoss::squared_error, {3}},
                      Case{TaskLoss::squared_error, {3, 1}}),
    [](const auto& one) {
      return std::string(data::to_string(one.param.loss)) + "_" + std::to_string(one.index);
    });

}  // namespace
}  // namespace pair::train::moments_test
