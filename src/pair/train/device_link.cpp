#include "pair/train/device_link.h"

#include <torch/utils.h>

#include <algorithm>
#include <utility>

namespace pair::train {

DeviceLink::DeviceLink(torch::Device device) : DeviceLink(device, device::make_recorder(device)) {}

DeviceLink::DeviceLink(torch::Device device, std::unique_ptr<device::Recorder> recorder)
    : recorder_(std::move(recorder)), device_(device) {}

std::unique_ptr<device::Recorder::Scope> DeviceLink::enter() const {
  return recorder_ ? recorder_->enter() : nullptr;
}

void DeviceLink::wait() const {
  if (recorder_) {
    recorder_->wait();
  }
}

void DeviceLink::perform(const device::Recorder::Work& work) const {
  if (recorder_) {
    recorder_->perform(work);
  } else {
    work();
  }
}

torch::Tensor DeviceLink::host_numbers(std::int64_t count) const {
  return torch::zeros(
      {count}, torch::TensorOptions(torch::kDouble).pinned_memory(asynchronous() && device_.is_cuda()));
}

std::vector<std::string> DeviceLink::take_notices() {
  return std::exchange(notices_, {});
}

RepeatedWork::RepeatedWork(DeviceLink& link, std::string name) : link_(&link), name_(std::move(name)) {}

void RepeatedWork::play(std::size_t part) {
  device::Recorder* const recorder = link_->recorder();
  if (part == 0 && recorder != nullptr && recordable_) {
    if (const std::string why = routine_.prepare(*recorder); !why.empty()) {
      recordable_ = false;
      link_->notify(name_ + " are launched one operation at a time, since they cannot be recorded: " + why);
    }
  }
  routine_.play(part, recorder);
}

StepControls::StepControls(std::int64_t objectives, const DeviceLink& link)
    : link_(&link),
      on_host_(link.host_numbers(objectives + 1)),
      on_device_(torch::zeros({objectives + 1}, torch::kDouble).to(link.device())) {}

void StepControls::set(std::vector<double> weights, double lr, bool device_is_idle) {
  weights.push_back(lr);
  if (weights == last_) {
    return;
  }
  if (!device_is_idle) {
    link_->wait();  // the previous copy may still read on_host_
  }
  std::copy(weights.begin(), weights.end(), on_host_.data_ptr<double>());
  on_device_.copy_(on_host_, /*non_blocking=*/true);
  last_ = std::move(weights);
}

torch::Tensor StepControls::weights() const {
  return on_device_.narrow(0, 0, on_device_.size(0) - 1);
}

torch::Tensor StepControls::lr() const {
  return on_device_[on_device_.size(0) - 1];
}

NumbersToHost::NumbersToHost(std::int64_t count, const DeviceLink& link)
    : link_(&link), on_host_(link.host_numbers(count)) {}

std::span<const double> NumbersToHost::read(const torch::Tensor& numbers) {
  on_host_.copy_(numbers, /*non_blocking=*/true);
  link_->wait();
  return {on_host_.data_ptr<double>(), static_cast<std::size_t>(on_host_.numel())};
}

}  // namespace pair::train
