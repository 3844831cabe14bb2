#include <type_traits>

#include "pair/device/group_norm.cuh"
#include "pair/device/group_norm.h"
#include "pair/device/launch.h"

namespace pair::device {
namespace {

cuda::Norm norm_of(const torch::Tensor& x, std::int64_t groups, double epsilon) {
  return {x.size(0), static_cast<int>(x.size(2) * x.size(3)), static_cast<int>(x.size(1)),
          static_cast<int>(groups), static_cast<float>(epsilon)};
}

}  // namespace

bool takes_group_norm(std::int64_t channels, std::int64_t groups) {
  return channels % 32 == 0 && groups >= 1 && channels % (4 * groups) == 0 && 32 % (channels / groups) == 0;
}

Normed relu_group_norm(const torch::Tensor& x, const torch::Tensor& bias, std::int64_t groups,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon, bool pooled) {
  const torch::Tensor images = channels_last(x);
  Normed normed;
  normed.result = pooled ? torch::empty({x.size(0), x.size(1)}, bias.options()) : torch::empty_like(images);
  normed.statistics = torch::empty({x.size(0), groups, 2}, bias.options());
  const cuda::Norm norm = norm_of(images, groups, epsilon);
  const auto launch = [&](const auto* from, auto* to) {
    cuda::relu_group_norm(norm, from, bias.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
                          pooled ? nullptr : to, pooled ? normed.result.data_ptr<float>() : nullptr,
                          normed.statistics.data_ptr<float>(), stream_of(images));
  };
  if (images.scalar_type() == torch::kHalf) {
    launch(static_cast<const __half*>(images.data_ptr()), static_cast<__half*>(normed.result.data_ptr()));
  } else {
    launch(static_cast<const float*>(images.data_ptr()), static_cast<float*>(normed.result.data_ptr()));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return normed;
}

NormGradients relu_group_norm_backward(const torch::Tensor& gradient, const torch::Tensor& x,
                                       const torch::Tensor& bias, std::int64_t groups,
                                       const torch::Tensor& gamma, const torch::Tensor& statistics,
                                       bool pooled) {
  const torch::Tensor images = channels_last(x);
  const torch::Tensor dy = pooled ? gradient.contiguous() : channels_last(gradient);
  NormGradients result;
  result.x = torch::empty_like(images);
  const torch::Tensor sums = torch::empty({x.size(0), 3, x.size(1)}, bias.options());
  const auto launch = [&](const auto* from, auto* to) {
    using Number = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
    cuda::relu_group_norm_backward(
        norm_of(images, groups, 0.0), from, bias.data_ptr<float>(), gamma.data_ptr<float>(),
        statistics.data_ptr<float>(), pooled ? nullptr : static_cast<const Number*>(dy.data_ptr()),
        pooled ? dy.data_ptr<float>() : nullptr, to, sums.data_ptr<float>(), stream_of(images));
  };
  if (images.scalar_type() == torch::kHalf) {
    launch(static_cast<const __half*>(images.data_ptr()), static_cast<__half*>(result.x.data_ptr()));
  } else {
    launch(static_cast<const float*>(images.data_ptr()), static_cast<float*>(result.x.data_ptr()));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  const torch::Tensor all = column_sums(sums);
  result.gamma = all[0];
  result.beta = all[1];
  result.bias = all[2];
  return result;
}

}  // namespace pair::device
