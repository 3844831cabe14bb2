#pragma once

#include <torch/types.h>

#include <functional>

#include "pair/train/trainer.h"

// Wall time of work on a device, which may be queued there: the device is waited for before and after.

namespace pair::bench {

double seconds_on(const torch::Device& device, const std::function<void()>& work);

// The mean of `steps` steps of the trainer, which is on that device.
double milliseconds_per_step(train::Trainer& trainer, int steps, const torch::Device& device);

}  // namespace pair::bench
