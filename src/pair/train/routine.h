#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pair/device/recorder.h"

// A piece of a run's work that is the same every time, in parts that the host has something to do between:
// done operation by operation at first and, where there is a recorder, recorded and played from then on.

namespace pair::train {

class Routine {
 public:
  Routine() = default;
  explicit Routine(std::vector<device::Recorder::Work> parts) : parts_(std::move(parts)) {}

  [[nodiscard]] bool empty() const { return parts_.empty(); }

  // Before the first part: records all of them if they have been done once and are not recorded yet. Empty,
  // or why they cannot be recorded.
  [[nodiscard]] std::string prepare(device::Recorder& recorder);

  // Does one part; recorder: none on the CPU. The last ones may be left out.
  void play(std::size_t part, device::Recorder* recorder);

 private:
  std::vector<device::Recorder::Work> parts_;
  std::unique_ptr<device::Recording> recording_;
  bool done_ = false;  // all parts, once
};

}  // namespace pair::train
