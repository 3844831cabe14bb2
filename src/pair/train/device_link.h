#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pair/device/recorder.h"
#include "pair/train/routine.h"

// A run's link to the device it trains on: the queue, recorded work, and the few numbers that cross between
// host and device at each step. On the CPU there is no queue: work is done when it is handed over, and
// nothing waits.

namespace pair::train {

class DeviceLink {
 public:
  explicit DeviceLink(torch::Device device);
  // With a recorder of one's own, or null for none: for tests.
  DeviceLink(torch::Device device, std::unique_ptr<device::Recorder> recorder);

  [[nodiscard]] torch::Device device() const { return device_; }
  // Whether work is still under way when a call returns.
  [[nodiscard]] bool asynchronous() const { return recorder_ != nullptr; }
  [[nodiscard]] device::Recorder* recorder() const { return recorder_.get(); }

  // While what it returns lives, this thread's device work goes to the run's queue. Null on the CPU.
  [[nodiscard]] std::unique_ptr<device::Recorder::Scope> enter() const;
  // Until the device has done all that was handed to it.
  void wait() const;
  // Does work that allocates memory, kept apart from what other runs record.
  void perform(const device::Recorder::Work& work) const;
  // Doubles on the host; where there is a queue, in memory that the device reaches by itself.
  [[nodiscard]] torch::Tensor host_numbers(std::int64_t count) const;

  // What a person should know of how the run is done; take_notices gives each once.
  void notify(std::string notice) { notices_.push_back(std::move(notice)); }
  [[nodiscard]] std::vector<std::string> take_notices();

 private:
  std::unique_ptr<device::Recorder> recorder_;
  torch::Device device_;
  std::vector<std::string> notices_;
};

// Work that a run repeats (its steps, its evaluations), recorded after it was done once where the device can
// record. Where it cannot, a notice says so once, and the work is handed over one operation at a time from
// then on.
class RepeatedWork {
 public:
  // name: in the plural, for the notice ("steps"). link must outlive this object.
  RepeatedWork(DeviceLink& link, std::string name);

  [[nodiscard]] bool empty() const { return routine_.empty(); }
  void set(std::vector<device::Recorder::Work> parts) { routine_ = Routine(std::move(parts)); }
  // The parts and their recording: before tensors that they refer to are replaced.
  void clear() { routine_ = {}; }
  // From now on, for a reason that the caller says.
  void never_record() { recordable_ = false; }

  // Parts are played in order, the last ones perhaps left out.
  void play(std::size_t part);

 private:
  DeviceLink* link_;
  std::string name_;
  Routine routine_;
  bool recordable_ = true;
};

// A step's weights and learning rate where recorded work finds them: always the same memory.
class StepControls {
 public:
  StepControls(std::int64_t objectives, const DeviceLink& link);

  // device_is_idle: nothing handed over before can still read the host's copy; else this waits for the
  // device. Nothing happens where they are those of the last time.
  void set(std::vector<double> weights, double lr, bool device_is_idle);

  [[nodiscard]] torch::Tensor weights() const;  // [objectives], doubles
  [[nodiscard]] torch::Tensor lr() const;       // [], double

 private:
  const DeviceLink* link_;
  std::vector<double> last_;
  torch::Tensor on_host_;    // [objectives + 1], on their way
  torch::Tensor on_device_;  // [objectives + 1]
};

// Numbers of the device brought to the host: the one place where a step waits.
class NumbersToHost {
 public:
  NumbersToHost(std::int64_t count, const DeviceLink& link);

  // numbers: [count] doubles. What it returns is overwritten by the next call.
  [[nodiscard]] std::span<const double> read(const torch::Tensor& numbers);

 private:
  const DeviceLink* link_;
  torch::Tensor on_host_;
};

}  // namespace pair::train
