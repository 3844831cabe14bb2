#pragma once

#include <torch/serialize.h>
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "pair/train/guard.h"
#include "pair/train/kept_buffers.h"

// The trainer's update of the parameters: Adam or SGD with momentum, with the guards of guard.h, on one flat
// vector.
//
// torch's optimizers keep the learning rate and count their steps on the host, tensor by tensor, and
// GuardedStep reads from the device before each step whether the direction turned. Here, both the arithmetic
// and the decisions stay on the device, in a few operations for any number of layers: the time of a small
// network depends on the number of operations, and a step without host decisions can be recorded
// (device/recorder.h).

namespace pair::train {

struct UpdateOptions {
  enum class Rule { adam, sgd };
  Rule rule = Rule::adam;
  double momentum = 0.9;  // for SGD
  bool restart = true;    // SGD: drop the velocity if the new direction opposes it, g . v < 0
  // Adam's decays of the mean of gradients and of squares, [0, 1). Its epsilon is 1e-8.
  double beta1 = 0.9;
  double beta2 = 0.999;
  // Adam: divide by the largest mean of squares so far, as torch's amsgrad (Reddi et al. 2018).
  bool amsgrad = false;
};

class Update {
 public:
  // Makes the parameters, of one type and device and each dense in memory, views of one flat vector [P]
  // without changing their layout. Counts continue from guard. buffers: the network's, which are restored
  // with the parameters if a step is refused or undone, and become views, too (KeptBuffers::gathering).
  Update(const std::vector<torch::Tensor>& parameters, const UpdateOptions& options,
         const GuardState& guard = {}, const std::vector<torch::Tensor>& buffers = {});

  [[nodiscard]] const torch::Tensor& parameters() const { return parameters_; }  // [P]

  // One step of length lr (a scalar tensor, doubles) times the halvings so far; or, if the gradient [P] or
  // one of the losses is not finite, back to the parameters before the last good step, and a halving. Does
  // not wait for a device with kernels (device/kernels.h).
  void apply(const torch::Tensor& gradient, const torch::Tensor& losses, const torch::Tensor& lr);

  // For decisions of the host, from losses that it has read. guard is the state as last read from the device,
  // and is changed by its rule; does not wait for the device. Returns to the parameters before the last good
  // step and drops the velocity: for a step that was too long.
  void take_back(GuardState& guard);
  // The same for a step that led to losses that are not finite.
  void refuse(GuardState& guard);

  // The part of the guard's state that the device decides, [tally_size] doubles there: restarts, rollbacks,
  // rollbacks in a row, halving.
  static constexpr std::int64_t tally_size = 4;
  [[nodiscard]] const torch::Tensor& tally() const { return tally_; }
  // Reads those numbers once they are on the host.
  static void read_tally(std::span<const double> tally, GuardState& guard);

  void save(torch::serialize::OutputArchive& archive) const;
  // Accepts the result of save, for the same number of parameters with the same layout. The current buffers
  // are those of the last good step: between two steps they always are.
  void load(torch::serialize::InputArchive& archive);

 private:
  void apply_amsgrad(const torch::Tensor& gradient, const torch::Tensor& losses, const torch::Tensor& lr);
  void return_to_last_good();
  void write_tally(const GuardState& guard);

  UpdateOptions options_;
  torch::Tensor parameters_;
  torch::Tensor last_good_;
  KeptBuffers buffers_;
  torch::Tensor first_;    // Adam's mean of gradients; SGD's velocity
  torch::Tensor second_;   // Adam's mean of squares
  torch::Tensor largest_;  // AMSGrad's largest second_ so far; undefined without it
  torch::Tensor decays_;   // Adam: beta1^t and beta2^t
  torch::Tensor tally_;
  torch::Tensor workspace_;  // workspace of device/update.h
};

}  // namespace pair::train
