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

// The losses of one batch and the gradient of their weighted sum, at about the price of ERM's.
//
// Three ways lead there (step_path.h): the graph cut at the head, the same by kernels on a CUDA device, and
// the whole network for objectives that need it. A step takes the cheapest one that its objectives and its
// batch allow.
//
// Everything goes in and comes out as tensors on the batch's device, and nothing here waits for that device:
// a step can be recorded once and played again (device/recorder.h).

namespace pair::train {

class Step {
 public:
  // objectives are kept by the caller, who saves and restores their state. half: the featurizer works in 16
  // bits (Model::takes_half), unless an objective needs the network.
  Step(std::shared_ptr<models::Model> model,
       std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss,
       bool half = false);

  [[nodiscard]] bool in_half() const { return network_->half(); }

  // Gradients are flat, [P], over these: the parameters that are trained, in the model's order.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const { return network_->parameters(); }

  using Result = StepPath::Result;
  // In one go, for weights that are known beforehand. An objective of weight 0 is evaluated, not
  // differentiated.
  Result with_weights(const Batch& batch, std::span<const double> weights, data::Random& random);

  // In two, for weights that a solver chooses. First the losses and the Gram matrix of their gradients with
  // respect to the parameters that source names, as [m + m m] doubles, L and then row by row, followed by
  // `also`, numbers in doubles that are to come along. Throws std::invalid_argument where source names none.
  torch::Tensor compare(const Batch& batch, GradientSource source, data::Random& random,
                        const torch::Tensor& also = {});
  // Then the gradient [P] of sum_k weights_k L_k on the batch last compared, once; weights: [m], doubles.
  torch::Tensor gradient(const torch::Tensor& weights);

  // From now on objectives that are functions of moments take averages over steps (tracked_moments.h) in
  // place of the batch's. Nothing changes where an objective needs the whole network. On CUDA devices such
  // steps go the way of the cut graph, without the kernels at the head.
  void track_moments(double window, std::int64_t environments, torch::Device device);
  // Null where moments are not tracked.
  [[nodiscard]] TrackedMoments* tracked() const { return tracked_.get(); }

  // From now on the featurizer is constant, and its parameters are none of parameters().
  void freeze_featurizer();

 private:
  [[nodiscard]] StepPath& path_for(const Batch& batch, GradientSource source) const;
  void forget_compared();

  std::shared_ptr<const StepNetwork> network_;
  // The first is there where an objective needs it, and then alone.
  std::unique_ptr<WholeNetwork> whole_network_;
  std::unique_ptr<HeadKernels> head_kernels_;
  std::unique_ptr<CutGraph> cut_graph_;
  std::shared_ptr<TrackedMoments> tracked_;
  StepPath* compared_ = nullptr;  // the one that compare went, until gradient
};

}  // namespace pair::train
