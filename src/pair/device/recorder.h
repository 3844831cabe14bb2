#pragma once

#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

// Device work recorded once and played again: the one place that knows how a device is driven.
//
// Most of a small step's time on a GPU is spent in handing it one operation after another. Where every step
// does the same operations on tensors of the same size, they can be recorded (CUDA graphs) and handed over
// as one. A run has a recorder, used by the thread that made it, and with it that thread's own queue on the
// device, so that several runs can share a card. On the CPU there is none.

namespace pair::device {

class Recording {
 public:
  virtual ~Recording() = default;
  // Does the part again, as it was recorded, on the tensors of that time. Nothing waits for the device.
  virtual void play(std::size_t part) = 0;
};

class Recorder {
 public:
  // Work on the device that does the same each time and never waits for it.
  using Work = std::function<void()>;

  virtual ~Recorder() = default;

  // While what it returns lives, this thread's device work goes to the recorder's queue.
  class Scope {
   public:
    virtual ~Scope() = default;
  };
  [[nodiscard]] virtual std::unique_ptr<Scope> enter() = 0;

  // Until the device has done all that was handed to it from here.
  virtual void wait() = 0;

  // Does the work, kept apart from what other runs record.
  virtual void perform(const Work& work) = 0;

  // Records the parts, one after another, without doing them. Each must have been done once before. The parts
  // may be played in this order, leaving out the last ones, and nothing of the same thread is played between
  // them. Nothing where a part cannot be recorded; why then says the reason. Throws c10::OutOfMemoryError.
  [[nodiscard]] virtual std::unique_ptr<Recording> record(std::span<const Work> parts, std::string& why) = 0;
};

// Nothing for the CPU, and in builds without CUDA.
std::unique_ptr<Recorder> make_recorder(torch::Device device);

// Does the work on the calling thread's queue of the device, kept apart from what runs record, and waits for
// it: for data that several runs will read. On the CPU it is just done.
void perform_apart(torch::Device device, const Recorder::Work& work);

// Gives back what the calling thread's recordings worked in and what LibTorch keeps for others: after a run
// that found no memory, when nothing of that run lives any more.
void give_back_memory(torch::Device device);

}  // namespace pair::device
