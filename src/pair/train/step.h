#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pair/data/random.h"
#include "pair/data/task_loss.h"
#include "pair/device/loss.h"
#include "pair/models/model.h"
#include "pair/objectives/objective.h"
#include "pair/train/batch.h"
#include "pair/train/settings.h"

// The losses of one batch and the gradient of their weighted sum, at about the price of ERM's.
//
// The graph is cut twice, at the features and at the logits:
//
//     x --phi--> features | --w--> logits | --> objectives L_1..L_m
//
// The featurizer runs forward once with its graph; everything to the right of it works on leaves. An
// objective's gradient then starts from dL_k/dlogits (and dL_k/dfeatures where it looks at them), vectors
// that are cheap to find (moments.h has a third cut: what goes through risks goes through each sample's own
// slopes), and since the head is linear its parameters' gradients for all m objectives are one matrix
// product, (dL/dlogits)^T features. From them comes the Gram matrix; from that, outside, the weights; and one
// weighted gradient goes back through the featurizer, once.
//
// On a CUDA device all of that is done by kernels for objectives that are functions of moments
// (device/head.h), and a model may have a way back of its own (models::RectifiedPass).
//
// Gradients from phi or f need one pass back an objective; objectives that need the network (IGA) keep the
// whole graph. Only they pay.
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

  [[nodiscard]] bool in_half() const { return half_; }

  // Gradients are flat, [P], over these: the parameters that are trained, in the model's order.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;

  struct Result {
    torch::Tensor losses;    // [m], doubles
    torch::Tensor gradient;  // [P], of sum_k weights_k L_k
  };
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

  // From now on the featurizer is constant, and its parameters are none of parameters().
  void freeze_featurizer();

 private:
  struct Cut;
  struct Compared;
  struct ThroughPhi;

  [[nodiscard]] torch::Tensor features_of(const Batch& batch) const;
  [[nodiscard]] Cut cut(const Batch& batch) const;
  [[nodiscard]] std::vector<torch::Tensor> values(const objectives::HeadView& view,
                                                  data::Random& random) const;
  [[nodiscard]] objectives::HeadView network_view(const Batch& batch) const;
  // Whether kernels do the work at the head (device/head.h).
  [[nodiscard]] bool kernels_take(const Batch& batch) const;
  // What compare() and gradient() do then.
  [[nodiscard]] std::shared_ptr<Compared> compare_by_kernels(const Batch& batch,
                                                             const torch::Tensor& also) const;
  [[nodiscard]] torch::Tensor gradient_by_kernels(const Compared& compared,
                                                  const torch::Tensor& weights) const;
  // Weights on the device; where they are not those of the last time it waits for them.
  [[nodiscard]] torch::Tensor kept(std::span<const double> weights);
  [[nodiscard]] torch::Tensor compare_network(const Batch& batch, GradientSource source, data::Random& random,
                                              const torch::Tensor& also);
  [[nodiscard]] torch::Tensor row_sums(const torch::Tensor& rows) const;
  [[nodiscard]] std::vector<torch::Tensor> trained_featurizer() const;
  [[nodiscard]] ThroughPhi through_phi(const Cut& cut, const torch::Tensor& feature_gradient,
                                       bool again) const;
  [[nodiscard]] bool of_head(const torch::Tensor& parameter) const;
  [[nodiscard]] torch::Tensor back(const Cut& cut, const torch::Tensor& logit_gradient,
                                   torch::Tensor feature_gradient, const torch::Tensor& head_gradient) const;
  [[nodiscard]] torch::Tensor joined(const ThroughPhi& phi, const torch::Tensor& head_gradient) const;
  [[nodiscard]] torch::Tensor joined(const std::vector<torch::Tensor>& pieces,
                                     const std::vector<torch::Tensor>& parameters,
                                     const torch::Tensor& factor) const;

  std::shared_ptr<models::Model> model_;
  std::span<const std::unique_ptr<objectives::Objective>> objectives_;
  data::TaskLoss loss_;
  bool needs_network_ = false;
  bool takes_derivatives_ = false;
  bool half_ = false;
  std::vector<device::MomentFunction> functions_;  // the objectives, where all are such; else none
  std::shared_ptr<Compared> compared_;             // between compare and gradient

  // What is the same at every step: on a device each would be one more operation.
  mutable torch::Tensor ones_;  // [n]
  torch::Tensor no_slope_;      // [environments] zeros
  torch::Tensor erm_slope_;     // and what the mean risk has in each risk
  std::vector<double> kept_here_;
  torch::Tensor kept_there_;
};

}  // namespace pair::train
