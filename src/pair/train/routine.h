#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pair/device/recorder.h"

// A piece of a run's repeated work, in parts between which the host has work: executed operation by operation
// at first and, if there is a recorder, recorded and then replayed.

namespace pair::train {

class Routine {
 public:
  Routine() = default;
  explicit Routine(std::vector<device::Recorder::Work> parts) : parts_(std::move(parts)) {}

  [[nodiscard]] bool empty() const { return parts_.empty(); }

  // Call before the first part: records all parts if they have been executed once and are not recorded yet.
  // Returns empty, or why they cannot be recorded.
  [[nodiscard]] std::string prepare(device::Recorder& recorder);

  // Does one part; recorder is null on the CPU. The last parts may be left out.
  void play(std::size_t part, device::Recorder* recorder);

 private:
  std::vector<device::Recorder::Work> parts_;
  std::unique_ptr<device::Recording> recording_;
  bool done_ = false;  // all parts, once
};

}  // namespace pair::train
