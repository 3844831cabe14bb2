#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pair/device/recorder.h"
#include "pair/train/routine.h"

// A run's link to the device it trains on: the stream, recorded work, and the few numbers that cross between
// host and device at each step. On the CPU there is no stream: work is done immediately, and nothing waits.

namespace pair::train {

class DeviceLink {
 public:
  explicit DeviceLink(torch::Device device);
  // With a given recorder, or null for none: for tests.
  DeviceLink(torch::Device device, std::unique_ptr<device::Recorder> recorder);

  [[nodiscard]] torch::Device device() const { return device_; }
  // Whether work may still be in progress when a call returns.
  [[nodiscard]] bool asynchronous() const { return recorder_ != nullptr; }
  [[nodiscard]] device::Recorder* recorder() const { return recorder_.get(); }

  // While the returned object lives, this thread's device work goes to the run's stream. Null on the CPU.
  [[nodiscard]] std::unique_ptr<device::Recorder::Scope> enter() const;
  // Waits until the device has finished all submitted work.
  void wait() const;
  // Does work that allocates memory, separated from recordings of other runs.
  void perform(const device::Recorder::Work& work) const;
  // Doubles on the host, in memory that the device can access if there is a stream.
  [[nodiscard]] torch::Tensor host_numbers(std::int64_t count) const;

  // Adds a sentence for the user about the run; take_notices returns each once.
  void notify(std::string notice) { notices_.push_back(std::move(notice)); }
  [[nodiscard]] std::vector<std::string> take_notices();

 private:
  std::unique_ptr<device::Recorder> recorder_;
  torch::Device device_;
  std::vector<std::string> notices_;
};

// Work that a run repeats (its steps, its evaluations), recorded after its first execution if the device
// supports it. Otherwise a notice says so once, and the work is launched one operation at a time.
class RepeatedWork {
 public:
  // name: plural, for the notice ("steps"). link must outlive this object.
  RepeatedWork(DeviceLink& link, std::string name);

  [[nodiscard]] bool empty() const { return routine_.empty(); }
  void set(std::vector<device::Recorder::Work> parts) { routine_ = Routine(std::move(parts)); }
  // Drops the parts and their recording. Call before tensors that they refer to are replaced.
  void clear() { routine_ = {}; }
  // Disables recording; the caller reports the reason.
  void never_record() { recordable_ = false; }

  // Parts are replayed in order; the last ones may be left out.
  void play(std::size_t part);

 private:
  DeviceLink* link_;
  std::string name_;
  Routine routine_;
  bool recordable_ = true;
};

// A step's weights and learning rate, in fixed memory that recorded work reads.
class StepControls {
 public:
  StepControls(std::int64_t objectives, const DeviceLink& link);

  // device_is_idle: no earlier work can still read the host's copy; otherwise this waits for the device. Does
  // nothing if the values are unchanged.
  void set(std::vector<double> weights, double lr, bool device_is_idle);

  [[nodiscard]] torch::Tensor weights() const;  // [objectives], doubles
  [[nodiscard]] torch::Tensor lr() const;       // [], double

 private:
  const DeviceLink* link_;
  std::vector<double> last_;
  torch::Tensor on_host_;    // [objectives + 1], being copied
  torch::Tensor on_device_;  // [objectives + 1]
};

// Copies numbers from the device to the host: the only place where a step waits.
class NumbersToHost {
 public:
  NumbersToHost(std::int64_t count, const DeviceLink& link);

  // numbers: [count] doubles. The result is overwritten by the next call.
  [[nodiscard]] std::span<const double> read(const torch::Tensor& numbers);

 private:
  const DeviceLink* link_;
  torch::Tensor on_host_;
};

}  // namespace pair::train
