#pragma once

#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

// Records device work once and replays it. Everything about driving a device is here.
//
// Most of a small step's time on a GPU is spent on launching one operation after another. If every step does
// the same operations on tensors of the same size, they can be recorded (CUDA graphs) and launched as one. A
// run has one recorder, used only by the thread that made it, and with it that thread's own stream on the
// device, so that several runs can share a card. On the CPU there is no recorder.

namespace pair::device {

class Recording {
 public:
  virtual ~Recording() = default;
  // Replays the part, as it was recorded, on the same tensors. Does not wait for the device.
  virtual void play(std::size_t part) = 0;
};

class Recorder {
 public:
  // Device work that does the same each time and never waits for the device.
  using Work = std::function<void()>;

  virtual ~Recorder() = default;

  // While the returned object lives, this thread's device work goes to the recorder's stream.
  class Scope {
   public:
    virtual ~Scope() = default;
  };
  [[nodiscard]] virtual std::unique_ptr<Scope> enter() = 0;

  // Waits until the device has finished all work submitted here.
  virtual void wait() = 0;

  // Does the work, separated from recordings of other runs.
  virtual void perform(const Work& work) = 0;

  // Records the parts in order, without executing them. Each must have been executed once before. The parts
  // may be replayed in this order, without the last ones; nothing else of the same thread may be replayed in
  // between. Null if a part cannot be recorded; `why` then has the reason. Throws c10::OutOfMemoryError.
  [[nodiscard]] virtual std::unique_ptr<Recording> record(std::span<const Work> parts, std::string& why) = 0;
};

// Null for the CPU, and in builds without CUDA.
std::unique_ptr<Recorder> make_recorder(torch::Device device);

// Does the work on the calling thread's stream of the device, separated from recordings, and waits for it:
// for data that several runs will read. On the CPU it is just executed.
void perform_apart(torch::Device device, const Recorder::Work& work);

// Frees the memory of the calling thread's recordings and LibTorch's cache. For use after a run that was out
// of memory, when nothing of that run is alive.
void give_back_memory(torch::Device device);

}  // namespace pair::device
