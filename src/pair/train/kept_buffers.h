#pragma once

#include <torch/types.h>

#include <vector>

// A network's buffers (BatchNorm's running statistics) as they were after the last good step.
//
// A forward pass in training mode changes them, even if its step is refused. If the step is refused or
// undone, they must be restored with the parameters: a statistic that is once NaN stays NaN. Everything is
// done in place, so that a recorded step finds buffers and copies at fixed addresses.

namespace pair::train {

class KeptBuffers {
 public:
  KeptBuffers() = default;
  // Keeps the current buffers.
  explicit KeptBuffers(std::vector<torch::Tensor> buffers);
  // The same, after making the buffers views of one vector per type of number: a network has hundreds of
  // small buffers, and on a device each operation on one of them costs as much as one on all.
  static KeptBuffers gathering(const std::vector<torch::Tensor>& buffers);

  void keep();     // as they are now
  void restore();  // as they were kept

  // restore() if `refused`, a scalar of bools on the buffers' device, is true, and otherwise keep(), without
  // waiting for the device.
  void restore_where(const torch::Tensor& refused);

  [[nodiscard]] bool empty() const { return buffers_.empty(); }

 private:
  std::vector<torch::Tensor> buffers_;
  std::vector<torch::Tensor> kept_;
};

}  // namespace pair::train
