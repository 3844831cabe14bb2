#include "pair/device/kernels.h"

namespace pair::device {

bool has_kernels(const torch::Tensor& numbers) {
  return numbers.is_cuda() && numbers.scalar_type() == torch::kFloat;
}

}  // namespace pair::device
