#include <c10/cuda/CUDAException.h>

#include <vector>

#include "pair/device/half.cuh"
#include "pair/device/half.h"
#include "pair/device/stream.h"

namespace pair::device {

Scaled scale_for_half(const torch::Tensor& numbers) {
  const torch::Tensor dense = numbers.contiguous();
  Scaled result;
  result.numbers = torch::empty_like(dense);
  result.factor = torch::empty({}, dense.options());
  cuda::scale_for_half(dense.data_ptr<float>(), dense.numel(), result.numbers.data_ptr<float>(),
                       result.factor.data_ptr<float>(), stream_of(dense));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

torch::Tensor gathered(std::span<const Part> parts, torch::ScalarType type, const torch::Tensor& factor) {
  static_assert(most_parts == cuda::most_parts);
  TORCH_CHECK(parts.size() <= most_parts, "expected at most ", most_parts, " tensors, got ", parts.size());
  cuda::Parts all{};
  std::int64_t start = 0;
  for (const Part& part : parts) {
    const torch::ScalarType kind = part.numbers.scalar_type();
    TORCH_CHECK(part.numbers.is_contiguous() && (kind == torch::kFloat || kind == torch::kHalf),
                "expected contiguous tensors of 32 or 16 bits");
    TORCH_CHECK(!part.scaled || factor.defined(), "expected a factor for scaled tensors");
    all.all[all.count++] = {part.numbers.data_ptr(), part.numbers.numel(), start,
                            /*first_block=*/0,       kind == torch::kHalf, part.scaled};
    start += part.numbers.numel();
  }
  const torch::Tensor& first = parts.front().numbers;
  torch::Tensor result = torch::empty({start}, first.options().dtype(type));
  const float* const by = factor.defined() ? factor.data_ptr<float>() : nullptr;
  if (type == torch::kHalf) {
    cuda::gather(all, by, static_cast<__half*>(result.data_ptr()), stream_of(first));
  } else {
    cuda::gather(all, by, result.data_ptr<float>(), stream_of(first));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

torch::Tensor rows_in_half(const torch::Tensor& numbers, const torch::Tensor& rows) {
  const torch::Tensor dense = numbers.contiguous();
  std::vector<std::int64_t> shape = dense.sizes().vec();
  shape.front() = rows.size(0);
  torch::Tensor result = torch::empty(shape, dense.options().dtype(torch::kHalf));
  cuda::rows_in_half(dense.data_ptr<float>(), dense.numel() / dense.size(0),
                     rows.contiguous().data_ptr<std::int64_t>(), rows.size(0),
                     static_cast<__half*>(result.data_ptr()), stream_of(dense));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace pair::device
