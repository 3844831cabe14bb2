#pragma once

#include <torch/nn.h>

#include <cstdint>
#include <memory>
#include <vector>

// Dropout whose masks are a function of (seed, step, place in the network).
//
// torch's Dropout draws from a generator that all runs of a process share, so that a run's numbers depend on
// its neighbours. Here a mask is drawn by counter (counter_random.h) from a key that a DropoutKey holds on
// the device and renews before each step. A recorded step (device/recorder.h) reads the key where it lies, so
// it replays with fresh masks; a resumed run continues with the masks it would have had.

namespace pair::models {

class Dropout : public torch::nn::Module {
 public:
  // share: of the numbers set to 0 in training mode, [0, 1); the others are divided by 1 - share. Throws
  // std::invalid_argument outside that range.
  explicit Dropout(double share);

  // In evaluation mode, and with a share of 0, the input itself. Within one step every call draws the same
  // mask for the same shape: register one module per place in the network. Throws std::logic_error in
  // training mode where no DropoutKey was made for the network.
  torch::Tensor forward(const torch::Tensor& input);

  [[nodiscard]] double share() const { return share_; }

 private:
  friend class DropoutKey;

  double share_;
  torch::Tensor key_;        // [], int64; shared by all places of a network
  std::int64_t offset_ = 0;  // of this place's counters
};

// What all Dropout modules of a network draw from.
class DropoutKey {
 public:
  // Connects every Dropout of the network, in the network's order of modules, to a key on device. The key
  // outlives this object where the network does. Throws std::invalid_argument for a network with one of
  // torch's own dropout modules (share above 0), whose draws no seed of a run decides.
  DropoutKey(torch::nn::Module& network, std::uint64_t seed, torch::Device device);

  // Before each step, in place. Nothing waits for the device; nothing at all happens in a network without
  // Dropout.
  void set_step(std::int64_t step);

  // Whether the network has a Dropout with a share above 0: its losses then differ from step to step by
  // themselves.
  [[nodiscard]] bool draws() const { return draws_; }

 private:
  bool draws_ = false;
  std::uint64_t seed_key_ = 0;
  torch::Tensor key_;  // undefined where the network has no Dropout
};

}  // namespace pair::models
