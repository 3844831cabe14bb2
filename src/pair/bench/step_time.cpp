#include "pair/bench/step_time.h"

#include <torch/cuda.h>

#include "pair/bench/measure.h"

namespace pair::bench {
namespace {

void wait_for(const torch::Device& device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize(device.index());
  }
}

}  // namespace

double seconds_on(const torch::Device& device, const std::function<void()>& work) {
  wait_for(device);
  return seconds_of([&] {
    work();
    wait_for(device);
  });
}

double milliseconds_per_step(train::Trainer& trainer, int steps, const torch::Device& device) {
  const double seconds = seconds_on(device, [&] {
    for (int i = 0; i < steps; ++i) {
      trainer.advance();
    }
  });
  return 1e3 * seconds / steps;
}

}  // namespace pair::bench
