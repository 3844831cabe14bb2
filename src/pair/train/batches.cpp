#include "pair/train/batches.h"

#include <torch/utils.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/device/half.h"
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
                 torch::Device device, data::Share share)
    : data_(&data),
      all_environments_(static_cast<std::int64_t>(data.train.size())),
      share_(share),
      measuring_(settings.measuring()),
      batch_(settings.batch) {
  if (measuring_.on() && !share_.whole()) {
    throw std::invalid_argument("ranks: expected 1 with measure_share, got " + std::to_string(share_.parts));
  }
  if (data.streamed()) {
    streamed_.emplace(data, settings, seed, device, share);
    return;
  }
  train_ = everything(data.train, device);
  if (!data.held_out.empty()) {
    held_out_ = everything(data.held_out, device);
  }
  if (batch_ > 0) {
    minibatches_.emplace(seed, train_.sizes, batch_, device, settings.environments, measuring_);
    rows_ = own_rows(minibatches_->rows(0), whole_sizes()).clone();
    if (minibatches_->environments() < all_environments_) {
      chosen_ = minibatches_->environments_of(0).clone();
    }
  } else if (!device.is_cpu()) {
    train_.inputs = data::as_numbers(train_.inputs);  // converted once, since memory suffices
  }
  if (measuring_.on() && batch_ == 0) {
    order_ = measuring_rows(seed, train_.sizes).to(device);
    assign_roles(0);
  }
  if (!share_.whole()) {
    const std::vector<std::int64_t> sizes = whole_sizes();
    if (const std::int64_t fewest = *std::min_element(sizes.begin(), sizes.end()); fewest < share_.parts) {
      throw std::invalid_argument("ranks: expected at most " + std::to_string(fewest) +
                                  ", the number of samples of an environment in a step, got " +
                                  std::to_string(share_.parts));
    }
    if (batch_ == 0) {
      own_train_ = own_batch(own_rows(train_.inputs, sizes), own_rows(train_.labels, sizes), sizes);
    }
  }
}

std::vector<std::int64_t> Batches::whole_sizes() const {
  if (streamed_) {
    return streamed_->whole_sizes();
  }
  return minibatches_
             ? std::vector<std::int64_t>(static_cast<std::size_t>(minibatches_->environments()), batch_)
             : train_.sizes;
}

torch::Tensor Batches::own_rows(const torch::Tensor& rows, const std::vector<std::int64_t>& sizes) const {
  if (share_.whole()) {
    return rows;
  }
  return rows_of_share(rows, sizes, share_);
}

Batch Batches::own_batch(torch::Tensor inputs, torch::Tensor labels,
                         const std::vector<std::int64_t>& sizes) const {
  Batch batch{std::move(inputs), std::move(labels), sizes};
  if (!share_.whole()) {
    batch.whole = sizes;
    std::ranges::transform(sizes, batch.sizes.begin(), [this](std::int64_t n) { return share_.count(n); });
  }
  return batch;
}

torch::Tensor Batches::places() const {
  std::int64_t count = 0;
  const std::vector<std::int64_t> sizes = whole_sizes();
  for (const std::int64_t size : sizes) {
    count += size;
  }
  return own_rows(torch::arange(count, torch::kLong), sizes);
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
    if (measuring_.on() && measuring_.rotations(step) != turn_) {
      link.perform([&] { assign_roles(step); });
    }
    return;
  }
  if (!minibatches_->holds(step)) {
    link.perform([&] { (void)minibatches_->rows(step); });
  }
  rows_.copy_(own_rows(minibatches_->rows(step), whole_sizes()));
  if (chosen_.defined()) {
    chosen_.copy_(minibatches_->environments_of(step));
  }
}

Batch Batches::of_step(bool half) const {
  if (streamed_) {
    return streamed_->of_step();
  }
  if (!minibatches_ && measuring_.on()) {
    Batch batch = with_roles_;
    batch.inputs = data::as_numbers(batch.inputs);
    batch.measuring.inputs = data::as_numbers(batch.measuring.inputs);
    return batch;
  }
  if (!minibatches_) {
    const Batch& all = share_.whole() ? train_ : own_train_;
    return {data::as_numbers(all.inputs), all.labels, all.sizes, all.whole};
  }
  const bool in_half = half && device::has_kernels(train_.inputs) && train_.inputs.is_contiguous();
  Batch batch = own_batch(in_half ? device::rows_in_half(train_.inputs, rows_)
                                  : data::as_numbers(train_.inputs.index_select(0, rows_)),
                          train_.labels.index_select(0, rows_), whole_sizes());
  batch.environments = chosen_;
  batch.all_environments = all_environments_;
  return measuring_.on() ? with_roles(batch, measuring_.count(batch_)) : batch;
}

void Batches::assign_roles(std::int64_t step) {
  const torch::NoGradGuard no_graph;
  const auto assign = [](torch::Tensor& to, const torch::Tensor& rows) {
    if (to.defined()) {
      to.copy_(rows);
    } else {
      to = rows;
    }
  };
  std::vector<torch::Tensor> training;
  std::vector<torch::Tensor> measuring;
  with_roles_.sizes.clear();
  with_roles_.measuring.sizes.clear();
  std::int64_t start = 0;
  for (const std::int64_t size : train_.sizes) {
    const std::int64_t count = measuring_.count(size);
    // The measuring samples first.
    const torch::Tensor rows = order_.narrow(0, start, size).roll(-measuring_.first(step, size));
    measuring.push_back(rows.narrow(0, 0, count));
    training.push_back(rows.narrow(0, count, size - count));
    with_roles_.sizes.push_back(size - count);
    with_roles_.measuring.sizes.push_back(count);
    start += size;
  }
  const torch::Tensor trained_on = torch::cat(training);
  const torch::Tensor measurers = torch::cat(measuring);
  assign(with_roles_.inputs, train_.inputs.index_select(0, trained_on));
  assign(with_roles_.labels, train_.labels.index_select(0, trained_on));
  assign(with_roles_.measuring.inputs, train_.inputs.index_select(0, measurers));
  assign(with_roles_.measuring.labels, train_.labels.index_select(0, measurers));
  turn_ = measuring_.rotations(step);
}

}  // namespace pair::train
