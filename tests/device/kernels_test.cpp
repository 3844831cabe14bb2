#include "pair/device/kernels.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

// The kernels that no layer of models/fused.h holds against torch's operations. Skipped where there is no
// device.

namespace pair::device {
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
    const torch::Tensor scale = scale_for_half(numbers.cuda()).cpu();
    EXPECT_EQ(scale[0].item<float>() * scale[1].item<float>(), 1.0F);
    const float scaled = largest * scale[0].item<float>();
    EXPECT_GE(scaled, 1.0F) << largest;
    EXPECT_LE(scaled, 2.0F) << largest;
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale[0].item<float>(), &exponent), 0.5F) << "a power of two changes no digit";
  }
}

TEST_F(Kernels, ScaleLeavesAloneWhatCannotBeScaled) {
  for (const float bad :
       {0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    torch::Tensor numbers = torch::zeros({70});
    numbers[69] = bad;
    const torch::Tensor scale = scale_for_half(numbers.cuda()).cpu();
    EXPECT_EQ(scale[0].item<float>(), 1.0F) << bad;
    EXPECT_EQ(scale[1].item<float>(), 1.0F) << bad;
  }
}

TEST_F(Kernels, MeanRiskIsTorchsWithItsGradient) {
  for (const std::int64_t rows : {2, 64, 5000}) {
    for (const Loss loss : {Loss::binary_cross_entropy, Loss::cross_entropy, Loss::squared_error}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, loss " + std::to_string(static_cast<int>(loss)));
      const std::int64_t outputs = loss == Loss::cross_entropy ? 3 : 1;
      const torch::Tensor logits =
          (torch::arange(3 * rows * outputs).to(torch::kFloat) * 0.7).sin().view({3 * rows, outputs}) * 20.0;
      torch::Tensor labels = torch::arange(3 * rows) % (outputs == 1 ? 2 : 3);
      const torch::Tensor leaf = logits.to(torch::kDouble).requires_grad_(true);
      torch::Tensor expected;
      if (loss == Loss::cross_entropy) {
        expected = torch::cross_entropy_loss(leaf, labels);
      } else {
        labels = labels.to(torch::kFloat);
        const torch::Tensor wide = labels.to(torch::kDouble);
        expected = loss == Loss::squared_error
                       ? torch::mse_loss(leaf.select(1, 0), wide)
                       : torch::binary_cross_entropy_with_logits(leaf.select(1, 0), wide);
      }
      expected.backward();
      const MeanRisk found = mean_risk(loss, logits.cuda(), labels.cuda(), 3);
      EXPECT_NEAR(found.value.item<double>(), expected.item<double>(), 1e-6 * expected.item<double>());
      const torch::Tensor slopes = found.slopes.cpu().to(torch::kDouble);
      EXPECT_LT((slopes - leaf.grad()).abs().max().item<double>(),
                1e-6 * leaf.grad().abs().max().item<double>());
    }
  }
}

}  // namespace
}  // namespace pair::device
