#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pair/device/dropout.h"

// Dropout whose masks are a function of (seed, step, place in the network).
//
// torch's Dropout draws from a generator that all runs of a process share, so a run's numbers would depend on
// other runs. Here, a mask is drawn by counter (counter_random.h) from a key on the device that DropoutKey
// updates before each step. A recorded step (device/recorder.h) reads the current key, so it replays with
// fresh masks; a resumed run continues with the same masks as an uninterrupted one.

namespace pair::models {

class Dropout : public torch::nn::Module {
 public:
  // share: fraction of the numbers set to 0 in training mode, [0, 1); the others are divided by 1 - share.
  // Throws std::invalid_argument outside of that range.
  explicit Dropout(double share);

  // In evaluation mode, and with a share of 0, returns the input itself. Within one step, every call draws
  // the same mask for the same shape: register one module per place in the network. Throws std::logic_error
  // in training mode if the network has no DropoutKey.
  torch::Tensor forward(const torch::Tensor& input);

  // forward(softmax(scores + bias)) over the last dimension, for attention: scores [n, heads, t, s], bias
  // [n, 1, 1, s]. One pass over the scores if the device has a kernel for it; that pass cannot be
  // differentiated twice, and throws std::logic_error if it should be.
  torch::Tensor forward_softmax(const torch::Tensor& scores, const torch::Tensor& bias);

  [[nodiscard]] double share() const { return share_; }

 private:
  friend class DropoutKey;
  friend class DropoutRows;

  // Whether forward draws a mask for this input. Throws std::logic_error if it should and has no key.
  [[nodiscard]] bool draws(const torch::Tensor& input) const;
  [[nodiscard]] device::DropoutMask mask() const;
  // [rows * words], int64: the counters of the random words of these rows, each row with as many.
  [[nodiscard]] torch::Tensor counters(std::int64_t rows, std::int64_t words) const;

  double share_;
  torch::Tensor key_;        // [], int64; shared by all places of a network
  torch::Tensor places_;     // of the rows in the batch; undefined: all rows
  std::int64_t offset_ = 0;  // first counter of this place
};

// While it lives, the network's passes see some rows of a batch, at these places in it ([rows], int64): masks are
// those that the rows have in the whole batch. For batches that go through the network in parts.
class DropoutRows {
 public:
  DropoutRows(torch::nn::Module& network, const torch::Tensor& places);
  ~DropoutRows();
  DropoutRows(const DropoutRows&) = delete;
  DropoutRows& operator=(const DropoutRows&) = delete;

 private:
  std::vector<std::pair<Dropout*, torch::Tensor>> before_;  // the network's modules, with their places
};

// The key of all Dropout modules of a network.
class DropoutKey {
 public:
  // Connects every Dropout of the network, in the order of its modules, to a key on the device. The network
  // keeps the key alive. Throws std::invalid_argument for a network with torch's own dropout modules (share
  // above 0), whose draws do not depend on a run's seed.
  DropoutKey(torch::nn::Module& network, std::uint64_t seed, torch::Device device);

  // Call before each step, and not between its forward and its backward pass, which may both compute the masks.
  // Updates the key in place. Does not wait for the device. Does nothing for a network without Dropout.
  void set_step(std::int64_t step);

  // For networks that see some rows of each batch: their places in the batch, [rows], int64. Masks are then
  // those that these rows have in the whole batch.
  void set_places(const torch::Tensor& places);

  // Whether the network has a Dropout with a share above 0, so that losses differ between steps even with
  // unchanged parameters.
  [[nodiscard]] bool draws() const { return draws_; }

 private:
  bool draws_ = false;
  std::uint64_t seed_key_ = 0;
  std::vector<Dropout*> modules_;  // the network's
  torch::Tensor key_;              // undefined if the network has no Dropout
};

}  // namespace pair::models
