#pragma once

#include <torch/types.h>

#include <vector>

// A network's buffers (BatchNorm's running statistics) as they were after the last good step.
//
// A forward pass in training mode changes them, whatever becomes of its step. Where the step is refused or
// taken back they must return with the parameters: a statistic that once is not a number stays so. Everything
// is done in place, so that a recorded step finds buffers and copies where they were.

namespace pair::train {

class KeptBuffers {
 public:
  KeptBuffers() = default;
  // Keeps the buffers as they are now.
  explicit KeptBuffers(std::vector<torch::Tensor> buffers);

  void keep();     // as they are now
  void restore();  // as they were kept

  // restore() where refused, a scalar of bools on the buffers' device, is true, and else keep(); nothing
  // waits for that device.
  void restore_where(const torch::Tensor& refused);

  [[nodiscard]] bool empty() const { return buffers_.empty(); }

 private:
  std::vector<torch::Tensor> buffers_;
  std::vector<torch::Tensor> kept_;
};

}  // namespace pair::train
