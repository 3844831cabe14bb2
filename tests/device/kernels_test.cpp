#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "pair/device/convolution.h"
#include "pair/device/half.h"
#include "pair/device/moments.h"
#include "tests/device/reference.h"

// How parameters of tests are printed.
namespace pair::device {

void PrintTo(Loss loss, std::ostream* out) {
  *out << (loss == Loss::squared_error   ? "SquaredError"
           : loss == Loss::cross_entropy ? "CrossEntropy"
                                         : "BinaryCrossEntropy");
}

}  // namespace pair::device

// The kernels that the tests of models/fused.h do not compare with torch's operations. Skipped without a
// device.

namespace pair::device::kernels_test {
namespace {

class Kernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "no CUDA device here";
    }
  }
};

TEST_F(Kernels, WindowsAreUnfoldsColumns) {
  for (const std::int64_t stride : {1, 2}) {
    for (const std::int64_t padding : {0, 1, 2}) {
      for (const std::int64_t channels : {1, 2}) {
        const torch::Tensor images =
            torch::arange(3 * channels * 7 * 5, torch::kFloat).view({3, channels, 7, 5});
        const torch::Tensor expected =
            torch::im2col(images, {3, 3}, {1, 1}, {padding, padding}, {stride, stride})
                .transpose(1, 2)
                .reshape({-1, channels * 9});
        for (const auto type : {torch::kFloat, torch::kHalf}) {
          const torch::Tensor rows = windows(images.to(torch::kCUDA, type), 3, stride, padding, 24).cpu();
          EXPECT_TRUE(torch::equal(rows.narrow(1, 0, channels * 9).to(torch::kFloat), expected));
          EXPECT_EQ(rows.narrow(1, channels * 9, 24 - channels * 9).abs().max().item<float>(), 0.0F);
        }
      }
    }
  }
}

TEST_F(Kernels, ScaleBringsTheLargestNumberToWhere16BitsHaveRoom) {
  for (const float largest : {1e-30F, 1e-7F, 0.37F, 1.0F, 512.0F, 1e6F, 1e30F}) {
    torch::Tensor numbers = torch::linspace(-0.9, 0.5, 3001) * largest;
    numbers[1234] = -largest;
    const Scaled scaled = scale_for_half(numbers.cuda());
    const float factor = scaled.factor.item<float>();
    const float size = scaled.numbers.abs().max().item<float>();
    EXPECT_GE(size, 1.0F) << largest;
    EXPECT_LE(size, 2.0F) << largest;
    int exponent = 0;
    EXPECT_EQ(std::frexp(factor, &exponent), 0.5F) << "a power of two changes no digit";
    EXPECT_TRUE(torch::equal(scaled.numbers.cpu() * factor, numbers));
  }
}

TEST_F(Kernels, ScaleLeavesAloneWhatCannotBeScaled) {
  for (const float bad :
       {0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    torch::Tensor numbers = torch::zeros({70});
    numbers[69] = bad;
    const Scaled scaled = scale_for_half(numbers.cuda());
    EXPECT_EQ(scaled.factor.item<float>(), 1.0F) << bad;
    EXPECT_TRUE(torch::allclose(scaled.numbers.cpu(), numbers, 0.0, 0.0, /*equal_nan=*/true)) << bad;
  }
}

TEST_F(Kernels, GathersNumbersOfBothKinds) {
  const float infinite = std::numeric_limits<float>::infinity();
  const torch::Tensor floats = torch::tensor({1.0F, -2.5F, infinite});
  const torch::Tensor halves = torch::tensor({0.5F, -infinite, 3.0F, 70.0F}).to(torch::kHalf);
  const torch::Tensor many = torch::arange(40000).to(torch::kFloat) / 64;
  const std::vector<Part> parts = {{floats.cuda(), false}, {halves.cuda(), true}, {many.cuda(), true}};
  const torch::Tensor factor = torch::full({}, 0.25F).cuda();
  const torch::Tensor expected =
      torch::cat({floats, halves.to(torch::kFloat).clamp(-65504.0, 65504.0) * 0.25F, many * 0.25F});
  EXPECT_TRUE(torch::equal(gathered(parts, torch::kFloat, factor).cpu(), expected));
  const std::vector<Part> plain = {{halves.cuda()}, {many.cuda()}};
  EXPECT_TRUE(torch::equal(gathered(plain, torch::kHalf).cpu(), torch::cat({halves, many.to(torch::kHalf)})));
  EXPECT_TRUE(
      torch::isnan(gathered(std::vector<Part>{{torch::full({1}, NAN).cuda(), true}}, torch::kFloat, factor))
          .item<bool>());
}

TEST_F(Kernels, TakesRowsIn16Bits) {
  const torch::Tensor numbers = torch::arange(7 * 2 * 3 * 5).to(torch::kFloat).view({7, 2, 3, 5}) / 3;
  const torch::Tensor rows = torch::tensor({6, 0, 3, 3}, torch::kLong);
  const torch::Tensor found = rows_in_half(numbers.cuda(), rows.cuda()).cpu();
  EXPECT_TRUE(torch::equal(found, numbers.index_select(0, rows).to(torch::kHalf)));
}

constexpr std::int64_t environments = 3;

// Logits and labels of environments with this many rows each, on the CPU.
struct Samples {
  torch::Tensor logits;
  torch::Tensor labels;

  Samples(Loss loss, std::int64_t rows) {
    const std::int64_t outputs = loss == Loss::cross_entropy ? 3 : 1;
    const std::int64_t all = environments * rows;
    logits = (torch::arange(all * outputs).to(torch::kFloat) * 0.7).sin().view({all, outputs}) * 20.0;
    labels = torch::arange(all) % (outputs == 1 ? 2 : 3);
    labels = outputs == 1 ? labels.to(torch::kFloat) : labels;
  }
};

class KernelsOfLosses : public Kernels, public ::testing::WithParamInterface<Loss> {};
INSTANTIATE_TEST_SUITE_P(All, KernelsOfLosses,
                         ::testing::Values(Loss::binary_cross_entropy, Loss::cross_entropy,
                                           Loss::squared_error),
                         ::testing::PrintToStringParamName());

TEST_P(KernelsOfLosses, MomentsAreTorchsWithTheirGradients) {
  for (const std::int64_t rows : {1, 64, 5000}) {
    SCOPED_TRACE(rows);
    const Samples samples(GetParam(), rows);
    const torch::Tensor leaf = samples.logits.to(torch::kDouble).requires_grad_(true);
    const torch::Tensor factor = torch::ones({environments, 1, 1}, torch::kDouble).requires_grad_(true);
    const torch::Tensor scaled = (leaf.view({environments, rows, -1}) * factor).view_as(leaf);
    const torch::Tensor risks =
        testing::sample_losses(GetParam(), scaled, samples.labels).view({environments, rows}).mean(1);
    const torch::Tensor derivatives =
        torch::autograd::grad({risks.sum()}, {factor}, {}, true, /*create_graph=*/true)[0].flatten();
    const torch::Tensor logits = samples.logits.cuda();
    const torch::Tensor labels = samples.labels.cuda();
    testing::expect_close(moments(GetParam(), logits, labels, environments),
                          torch::stack({risks, derivatives}).detach());

    const torch::Tensor by_risks = torch::tensor({{1.0, -2.0, 0.5}, {0.0, 0.0, 0.0}}, torch::kDouble);
    const torch::Tensor by_derivatives = torch::tensor({{0.0, 3.0, 0.0}, {1.0, 0.25, -4.0}}, torch::kDouble);
    const auto expected = [&](bool first, bool second) {
      std::vector<torch::Tensor> slopes;
      for (std::int64_t k = 0; k < 2; ++k) {
        const torch::Tensor value = (first ? (by_risks[k] * risks).sum() : (0 * risks).sum()) +
                                    (second ? (by_derivatives[k] * derivatives).sum() : (0 * risks).sum());
        slopes.push_back(torch::autograd::grad({value}, {leaf}, {}, /*retain_graph=*/true)[0]);
      }
      return torch::stack(slopes);
    };
    testing::expect_close(moment_slopes(GetParam(), logits, labels, by_risks.cuda(), by_derivatives.cuda()),
                          expected(true, true));
    testing::expect_close(moment_slopes(GetParam(), logits, labels, by_risks.cuda(), {}),
                          expected(true, false));
    testing::expect_close(moment_slopes(GetParam(), logits, labels, {}, by_derivatives.cuda()),
                          expected(false, true));
  }
}

}  // namespace
}  // namespace pair::device::kernels_test
