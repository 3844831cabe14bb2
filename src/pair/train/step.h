#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <vector>

#include "pair/data/random.h"
#include "pair/data/task_loss.h"
#include "pair/models/model.h"
#include "pair/objectives/objective.h"
#include "pair/train/batch.h"
#include "pair/train/cut_graph.h"
#include "pair/train/head_kernels.h"
#include "pair/train/settings.h"
#include "pair/train/step_network.h"
#include "pair/train/step_path.h"
#include "pair/train/tracked_moments.h"
#include "pair/train/whole_network.h"

// The losses of one batch and the gradient of their weighted sum, at about the cost of ERM's.
//
// There are three paths (step_path.h): the graph cut at the head, the same with kernels on a CUDA device, and
// the whole network for objectives that need it. A step uses the cheapest one that its objectives and its
// batch allow.
//
// Inputs and outputs are tensors on the batch's device, and nothing here waits for that device: a step can be
// recorded once and replayed (device/recorder.h).

namespace pair::train {

class Step {
 public:
  // The caller keeps the objectives, and saves and restores their state. Throws std::invalid_argument for
  // several parts if an objective needs the network.
  Step(std::shared_ptr<models::Model> model,
       std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss,
       NetworkOptions options = {});

  [[nodiscard]] bool in_half() const { return network_->half(); }

  // The featurizer and the head, for strategies with gradients of their own.
  [[nodiscard]] const StepNetwork& network() const { return *network_; }

  // Gradients are flat, [P], over these: the trained parameters, in the model's order.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const { return network_->parameters(); }

  using Result = StepPath::Result;
  // For weights that are known beforehand. An objective with weight 0 is evaluated, not differentiated.
  Result with_weights(const Batch& batch, std::span<const double> weights, data::Random& random);

  // In two parts, for weights that a solver chooses. First the losses and the Gram matrix of their gradients
  // with respect to the parameters of source, as [m + m m] doubles, L and then row by row, followed by
  // `also`, further doubles to copy along. Throws std::invalid_argument if source has no parameters.
  torch::Tensor compare(const Batch& batch, GradientSource source, data::Random& random,
                        const torch::Tensor& also = {});
  // Then the gradient [P] of sum_k weights_k L_k on the batch last compared, once; weights: [m], doubles.
  torch::Tensor gradient(const torch::Tensor& weights);

  // Makes objectives that are functions of moments use averages over steps (tracked_moments.h) in place of
  // the batch's moments. Has no effect if an objective needs the whole network.
  void track_moments(double window, std::int64_t environments, torch::Device device);
  // Null if moments are not tracked.
  [[nodiscard]] TrackedMoments* tracked() const { return tracked_.get(); }

  // Batches are one rank's from now on, and losses and gradients those of all ranks' together (ranks.h).
  // Throws std::invalid_argument if an objective needs the whole network. On CUDA devices such steps use the
  // cut graph, without the kernels at the head.
  void share(const Ranks& ranks);

  // Makes the featurizer constant and removes its parameters from parameters(); thaw_featurizer undoes that.
  void freeze_featurizer();
  void thaw_featurizer();

 private:
  [[nodiscard]] StepPath& path_for(const Batch& batch, GradientSource source) const;
  void forget_compared();

  std::shared_ptr<const StepNetwork> network_;
  // If an objective needs the first, it is the only one set.
  std::unique_ptr<WholeNetwork> whole_network_;
  std::unique_ptr<HeadKernels> head_kernels_;
  std::unique_ptr<CutGraph> cut_graph_;
  std::shared_ptr<TrackedMoments> tracked_;
  bool shared_ = false;
  std::vector<torch::Tensor> frozen_;  // by freeze_featurizer
  StepPath* compared_ = nullptr;       // the path of the last compare, until gradient
};

}  // namespace pair::train
