#include "pair/runs/new_trainer.h"

#include "pair/runs/device_name.h"
#include "pair/train/precision.h"
#include "pair/train/threads.h"

namespace pair::runs {

train::Trainer new_trainer(const RunSpec& spec, DatasetCache& datasets, const train::Ranks& ranks) {
  const torch::Device device = device_named(spec.device);
  train::use_threads(spec.threads);
  if (device.is_cuda()) {
    train::use_tf32(spec.settings.precision != train::Precision::fp32);
  }
  return {datasets.get(spec.dataset, spec.seed, spec.device), spec.settings, spec.seed, device, ranks};
}

}  // namespace pair::runs
