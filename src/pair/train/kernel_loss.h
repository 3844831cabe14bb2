#pragma once

#include <stdexcept>

#include "pair/data/task_loss.h"
#include "pair/device/loss.h"

namespace pair::train {

// The task's loss for device/loss.h, which does not depend on data.
inline device::Loss kernel_loss(data::TaskLoss loss) {
  switch (loss) {
    case data::TaskLoss::binary_cross_entropy:
      return device::Loss::binary_cross_entropy;
    case data::TaskLoss::cross_entropy:
      return device::Loss::cross_entropy;
    case data::TaskLoss::squared_error:
      return device::Loss::squared_error;
  }
  throw std::logic_error("a task loss without a kernel");
}

}  // namespace pair::train
