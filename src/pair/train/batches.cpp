#include "pair/train/batches.h"

#include <vector>

#include "pair/device/kernels.h"

namespace pair::train {
namespace {

Batch everything(const std::vector<data::Environment>& environments, torch::Device device) {
  std::vector<torch::Tensor> inputs;
  std::vector<torch::Tensor> labels;
  Batch batch;
  for (const data::Environment& environment : environments) {
    inputs.push_back(environment.inputs);
    labels.push_back(environment.labels);
    batch.sizes.push_back(environment.labels.size(0));
  }
  batch.inputs = data::joined(inputs).to(device);
  batch.labels = data::joined(labels).to(device);
  return batch;
}

}  // namespace

Batches::Batches(const data::EnvironmentSet& data, const Settings& settings, std::uint64_t seed,
                 torch::Device device)
    : all_environments_(static_cast<std::int64_t>(data.train.size())), batch_(settings.batch) {
  if (data.streamed()) {
    streamed_.emplace(data, settings, seed, device);
    return;
  }
  train_ = everything(data.train, device);
  if (!data.held_out.empty()) {
    held_out_ = everything(data.held_out, device);
  }
  if (batch_ > 0) {
    minibatches_.emplace(seed, train_.sizes, batch_, device, settings.environments);
    rows_ = minibatches_->rows(0).clone();
  } else if (!device.is_cpu()) {
    train_.inputs = data::as_numbers(train_.inputs);  // converted once, since memory suffices
  }
}

std::int64_t Batches::environments() const {
  if (streamed_) {
    return streamed_->environments();
  }
  return minibatches_ ? minibatches_->environments() : all_environments_;
}

void Batches::await(std::int64_t step, const std::function<bool()>& stop) {
  if (streamed_) {
    streamed_->await(step, stop);
  }
}

void Batches::begin_step(std::int64_t step, const DeviceLink& link) {
  if (streamed_) {
    streamed_->begin_step(step);
    return;
  }
  if (!minibatches_) {
    return;
  }
  if (!minibatches_->holds(step)) {
    link.perform([&] { (void)minibatches_->rows(step); });
  }
  rows_.copy_(minibatches_->rows(step));
}

Batch Batches::of_step(bool half) const {
  if (streamed_) {
    return streamed_->of_step();
  }
  if (!minibatches_) {
    return {data::as_numbers(train_.inputs), train_.labels, train_.sizes};
  }
  const bool in_half = half && device::has_kernels(train_.inputs) && train_.inputs.is_contiguous();
  return {in_half ? device::rows_in_half(train_.inputs, rows_)
                  : data::as_numbers(train_.inputs.index_select(0, rows_)),
          train_.labels.index_select(0, rows_),
          std::vector<std::int64_t>(static_cast<std::size_t>(minibatches_->environments()), batch_)};
}

}  // namespace pair::train
