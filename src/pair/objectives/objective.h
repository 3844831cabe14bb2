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

// An objective is a function to minimise, computed from what the head sees; one file each in this folder.

namespace pair::objectives {

// The batch of one step as the head sees it, ordered by environment.
//
// features, logits and, possibly, risks and derivatives are the leaves of the graph (for objectives that need
// the network, its outputs). An objective builds its value from them with differentiable operations, and the
// step only needs gradients with respect to them.
struct HeadView {
  torch::Tensor features;           // [n, d], phi(x)
  torch::Tensor logits;             // [n, k], w(phi(x))
  torch::Tensor labels;             // [n], float (k = 1) or int64 (classes)
  std::vector<std::int64_t> sizes;  // samples per environment, in order; they sum to n
  data::TaskLoss loss = data::TaskLoss::binary_cross_entropy;
  torch::Tensor risks;  // [environments]: mean loss of each, differentiable in logits; losses.h's risks_of
  // [environments]: D_e = d/dw R_e(w z) at w = 1 (irmv1.cpp). May be undefined, and always is unless
  // an objective has takes_derivatives().
  torch::Tensor derivatives;
  // All trainable parameters; only set if an objective has needs_network().
  std::vector<torch::Tensor> parameters;
  // If the batch is from some of the training environments: which, [environments], int64, ascending; and the
  // number of all. Otherwise undefined.
  torch::Tensor chosen = {};
  std::int64_t all_environments = 0;

  [[nodiscard]] std::size_t environments() const { return sizes.size(); }
  // The rows of a [n, ...] tensor, split by environment.
  [[nodiscard]] std::vector<torch::Tensor> split(const torch::Tensor& rows) const {
    return rows.split_with_sizes(sizes);
  }
};

// Builds a view and, unless the caller provides them, its risks. Labels are those of labels_for. Throws
// std::invalid_argument for mismatched shapes.
HeadView view_of(torch::Tensor features, torch::Tensor logits, torch::Tensor labels,
                 std::vector<std::int64_t> sizes, data::TaskLoss loss, bool with_risks = true);

// The labels of n samples with k logits each, converted to `type` unless they are classes. Throws
// std::invalid_argument if they are not [n] or not classes for cross-entropy, if another loss has more than
// one logit, or if the environments' sizes are not at least 1 or do not sum to n.
torch::Tensor labels_for(const torch::Tensor& labels, std::int64_t n, std::int64_t k,
                         const std::vector<std::int64_t>& sizes, data::TaskLoss loss, torch::ScalarType type);

class Objective {
 public:
  virtual ~Objective() = default;

  // A scalar, not negative (except irmv1 with the option keep), differentiable once in view.features and
  // view.logits. Objectives that draw their own minibatch use random. If there is state, each call is one
  // step of it. Objectives that compare environments are 0, with zero gradients, for a single environment.
  // Throws std::invalid_argument if the objective is not defined on the batch (such as a calibration error of
  // a regression).
  virtual torch::Tensor value(const HeadView& view, data::Random& random) = 0;

  // Whether the value needs gradients of the whole network: the step then keeps the full graph, which is
  // slower.
  [[nodiscard]] virtual bool needs_network() const { return false; }

  // Whether the value is a function of view.risks and, if it takes_derivatives(), of view.derivatives, and of
  // nothing else that belongs to samples: only then can it be computed from moments that are not those of the
  // batch's own samples (data/measuring.h, train/held_out_losses.h), and from those of several ranks
  // (train/shared_cut.h).
  [[nodiscard]] virtual bool of_moments() const { return false; }

  // Whether the value is a function of view.features and of no other tensor, so that its gradient in the
  // head's parameters is 0.
  [[nodiscard]] virtual bool of_features() const { return false; }

  // The option, a flag that is true, because of which the value cannot be measured on other samples than those
  // that are trained on (setting measure_share); empty: none.
  [[nodiscard]] virtual std::string_view flag_against_measuring() const { return {}; }

  // Whether the value uses view.derivatives if they are defined.
  [[nodiscard]] virtual bool takes_derivatives() const { return false; }

  // The value that is expected if the objective is 0 for the distribution of the data, because risks and
  // derivatives are estimates: weights of the means, over environments, of the variances of these estimates
  // (train/noise_floor.h).
  struct NoiseFloor {
    double risks = 0.0;
    double derivatives = 0.0;
  };
  // The noise floor for this number of environments, for objectives that are squares of moments.
  [[nodiscard]] virtual std::optional<NoiseFloor> noise_floor(std::size_t /*environments*/) const {
    return std::nullopt;
  }

  // The function of risks and derivatives that kernels can compute in place of value() (device/head.h), if
  // there is one.
  [[nodiscard]] virtual std::optional<device::MomentFunction> moment_function() const { return std::nullopt; }

  // If value() may be negative, which solvers do not support: the option that makes it so, and the values of
  // that option with which it is not.
  struct Remedy {
    std::string_view option;
    std::string_view values;
  };
  [[nodiscard]] virtual std::optional<Remedy> against_negative() const { return std::nullopt; }

  // Whether a call can be recorded on a device once and replayed, and values of two steps be compared
  // (backtrack). False if value() draws from random, takes other numbers from the host or learns between steps.
  // State must be changed in place.
  [[nodiscard]] virtual bool replayable() const { return true; }

  // Whether the state belongs to individual environments, so that every step must have the same environments
  // in the same order.
  [[nodiscard]] virtual bool remembers_environments() const { return false; }

  // Whether value() depends on earlier steps: moving averages, group weights.
  [[nodiscard]] virtual bool has_state() const { return false; }
  // That state, for checkpoints; empty before the first step. restore accepts the result of state.
  [[nodiscard]] virtual std::vector<torch::Tensor> state() const { return {}; }
  virtual void restore(std::span<const torch::Tensor> /*state*/) {}
};

}  // namespace pair::objectives
