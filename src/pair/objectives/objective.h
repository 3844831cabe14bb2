#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pair/data/random.h"
#include "pair/data/task_loss.h"
#include "pair/device/loss.h"

// What is minimised. An objective is a function of what the head sees; one file each in this folder.

namespace pair::objectives {

// One step's batch as the head sees it, the environments one after another.
//
// features, logits and perhaps risks and derivatives are the leaves of the graph (or, for objectives that
// need the network, its results): an objective builds its value from them with differentiable operations, and
// gradients with respect to them are all that the step asks for.
struct HeadView {
  torch::Tensor features;           // [n, d], phi(x)
  torch::Tensor logits;             // [n, k], w(phi(x))
  torch::Tensor labels;             // [n], float (k = 1) or int64 (classes)
  std::vector<std::int64_t> sizes;  // samples an environment, in order; they sum to n
  data::TaskLoss loss = data::TaskLoss::binary_cross_entropy;
  torch::Tensor risks;  // [environments]: mean loss of each, differentiable in logits; losses.h's risks_of
  // [environments]: D_e = d/dw R_e(w z) at w = 1 (irmv1.h); undefined unless an objective says
  // takes_derivatives(), and perhaps then.
  torch::Tensor derivatives;
  // All trainable parameters; filled only when an objective says needs_network().
  std::vector<torch::Tensor> parameters;

  [[nodiscard]] std::size_t environments() const { return sizes.size(); }
  // The rows of a [n, ...] tensor that belong to each environment.
  [[nodiscard]] std::vector<torch::Tensor> split(const torch::Tensor& rows) const {
    return rows.split_with_sizes(sizes);
  }
};

// Builds a view and, unless the caller will give them, its risks. Labels are those of labels_for; a mismatch
// of shapes throws std::invalid_argument.
HeadView view_of(torch::Tensor features, torch::Tensor logits, torch::Tensor labels,
                 std::vector<std::int64_t> sizes, data::TaskLoss loss, bool with_risks = true);

// The labels of n samples with k logits each, brought to `type` where they are not classes. Throws
// std::invalid_argument where they are not [n] or not classes for cross-entropy, where another loss has more
// than one logit, and where the environments' sizes are not numbers from 1 that sum to n.
torch::Tensor labels_for(const torch::Tensor& labels, std::int64_t n, std::int64_t k,
                         const std::vector<std::int64_t>& sizes, data::TaskLoss loss, torch::ScalarType type);

class Objective {
 public:
  virtual ~Objective() = default;

  // A scalar, never negative (but for irmv1 where it is asked to be), differentiable once in view.features
  // and view.logits. Objectives that draw a minibatch of their own take it from random. Where there is state,
  // each call is one step of it. What compares environments is 0, with gradients of 0, where there is one
  // alone. Throws std::invalid_argument where the objective is not defined on the batch (a regression for a
  // calibration error).
  virtual torch::Tensor value(const HeadView& view, data::Random& random) = 0;

  // True where the value needs gradients of the whole network: the step then keeps the full graph, and
  // pays for it.
  [[nodiscard]] virtual bool needs_network() const { return false; }

  // True where the value is found from view.derivatives, should they be there.
  [[nodiscard]] virtual bool takes_derivatives() const { return false; }

  // Where the value is one of the functions of risks and derivatives that kernels know (device/head.h),
  // which.
  [[nodiscard]] virtual std::optional<device::MomentFunction> moment_function() const { return std::nullopt; }

  // True where value() may give a number below 0, which no solver can weigh.
  [[nodiscard]] virtual bool may_be_negative() const { return false; }

  // False where value() draws from random, and so does other work on the device at every call; where there is
  // state, it is changed in place. What is replayable can be recorded once and played again.
  [[nodiscard]] virtual bool replayable() const { return true; }

  // True where what is remembered belongs to the environments one by one, so that every step must bring the
  // same environments in the same order.
  [[nodiscard]] virtual bool remembers_environments() const { return false; }

  // What the objective remembers from step to step (moving averages, group weights), for checkpoints;
  // restore takes what state gave.
  [[nodiscard]] virtual std::vector<torch::Tensor> state() const { return {}; }
  virtual void restore(std::span<const torch::Tensor> /*state*/) {}
};

}  // namespace pair::objectives
