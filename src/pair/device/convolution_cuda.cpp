#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include "pair/device/convolution.cuh"
#include "pair/device/convolution.h"
#include "pair/device/stream.h"

namespace pair::device {

torch::Tensor windows(const torch::Tensor& images, std::int64_t side, std::int64_t stride,
                      std::int64_t padding, std::int64_t columns) {
  TORCH_CHECK(columns % 4 == 0 && columns <= 256 && columns >= images.size(1) * side * side, "windows of ",
              images.size(1), " x ", side, " x ", side, " numbers do not fit into ", columns);
  const torch::Tensor dense = images.contiguous();
  const cuda::Windows shape{dense.size(0),
                            static_cast<int>(dense.size(1)),
                            static_cast<int>(dense.size(2)),
                            static_cast<int>(dense.size(3)),
                            static_cast<int>(side),
                            static_cast<int>(stride),
                            static_cast<int>(padding),
                            static_cast<int>(columns)};
  const torch::Tensor rows =
      torch::empty({shape.images * shape.down() * shape.across(), columns}, dense.options());
  if (dense.scalar_type() == torch::kHalf) {
    cuda::windows(shape, static_cast<const __half*>(dense.data_ptr()), static_cast<__half*>(rows.data_ptr()),
                  stream_of(dense));
  } else {
    cuda::windows(shape, dense.data_ptr<float>(), rows.data_ptr<float>(), stream_of(dense));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return rows;
}

bool takes_first_layer(const torch::Tensor& images, const torch::Tensor& weight, std::int64_t stride,
                       std::int64_t padding, std::int64_t groups) {
  return images.is_cuda() && images.scalar_type() == torch::kHalf && images.size(1) <= 2 &&
         weight.size(1) == images.size(1) && weight.scalar_type() == torch::kFloat &&
         weight.size(0) == cuda::FirstLayer::outputs && weight.size(2) == 3 && weight.size(3) == 3 &&
         stride == 1 && padding == 1 && groups == cuda::FirstLayer::groups &&
         (images.size(2) + 2) * (images.size(3) + 2) <= cuda::FirstLayer::most_places;
}

FirstLayer first_layer(const torch::Tensor& images, const torch::Tensor& weight, const torch::Tensor& bias,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon,
                       bool for_the_way_back) {
  const torch::Tensor dense = images.contiguous();
  const torch::Tensor flat = weight.contiguous();
  FirstLayer layer;
  const auto empty = [&] {
    return torch::empty({dense.size(0), cuda::FirstLayer::outputs, dense.size(2), dense.size(3)},
                        dense.options(), at::MemoryFormat::ChannelsLast);
  };
  layer.result = empty();
  if (for_the_way_back) {
    layer.x = empty();
    layer.statistics = torch::empty({dense.size(0), cuda::FirstLayer::groups, 2}, bias.options());
  }
  const cuda::FirstLayer shape{dense.size(0),
                               static_cast<int>(dense.size(1)),
                               static_cast<int>(dense.size(2)),
                               static_cast<int>(dense.size(3)),
                               static_cast<float>(epsilon),
                               at::cuda::getCurrentDeviceProperties()->multiProcessorCount};
  cuda::first_layer(shape, static_cast<const __half*>(dense.data_ptr()), flat.data_ptr<float>(),
                    bias.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
                    for_the_way_back ? static_cast<__half*>(layer.x.data_ptr()) : nullptr,
                    static_cast<__half*>(layer.result.data_ptr()),
                    for_the_way_back ? layer.statistics.data_ptr<float>() : nullptr, stream_of(dense));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return layer;
}

}  // namespace pair::device
