#include "pair/device/launch.h"
#include "pair/device/perceptron.cuh"
#include "pair/device/perceptron.h"

namespace pair::device {

ReluGradient relu_backward(const torch::Tensor& gradient, const torch::Tensor& output) {
  const torch::Tensor rows = gradient.contiguous();
  ReluGradient result;
  result.gradient = torch::empty_like(rows);
  const std::int64_t blocks = (rows.size(0) + cuda::relu_rows_per_block - 1) / cuda::relu_rows_per_block;
  const torch::Tensor partials = torch::empty({blocks, rows.size(1)}, rows.options());
  cuda::relu_backward(rows.data_ptr<float>(), output.contiguous().data_ptr<float>(),
                      result.gradient.data_ptr<float>(), partials.data_ptr<float>(), rows.size(0),
                      static_cast<int>(rows.size(1)), stream_of(rows));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  result.sum = column_sums(partials);
  return result;
}

torch::Tensor outer(const torch::Tensor& column, const torch::Tensor& row) {
  const torch::Tensor result = torch::empty({column.size(0), row.size(1)}, row.options());
  cuda::outer(column.contiguous().data_ptr<float>(), row.contiguous().data_ptr<float>(),
              result.data_ptr<float>(), column.size(0), static_cast<int>(row.size(1)), stream_of(row));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace pair::device
