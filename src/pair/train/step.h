#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pair/data/random.h"
#include "pair/data/task_loss.h"
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
// that are cheap to find, and since the head is linear its parameters' gradients for all m objectives are
// one matrix product, (dL/dlogits)^T features. From them comes the Gram matrix; from that, outside, the
// weights; and one weighted gradient goes back through the featurizer, once.
//
// Gradients from phi or f need one pass back an objective; objectives that need the network (IGA) keep the
// whole graph. Only they pay.

namespace pair::train {

struct StepLosses {
  std::vector<double> losses;   // one an objective
  std::vector<double> weights;  // as given, or as the solver chose
  // Cosine of the first objective's gradient with that of each other one, where gradients were compared; 0
  // where one of them vanishes. Below 0 the two conflict.
  std::vector<double> conflict;
  bool finite = true;  // false: a loss or a gradient is not finite, and the parameters' gradients are unset
};

// From the losses and the Gram matrix (row-major m x m) of their gradients to the weights. No weights: the
// losses say that the parameters will not be kept, and no gradients are set.
using Weigh =
    std::function<std::vector<double>(std::span<const double> losses, std::span<const double> gram)>;

class Step {
 public:
  // objectives are kept by the caller, who saves and restores their state.
  Step(std::shared_ptr<models::Model> model,
       std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss);

  // Sets every trainable parameter's gradient to that of sum_k weights_k L_k. An objective of weight 0 is
  // evaluated, not differentiated.
  StepLosses with_weights(const Batch& batch, std::span<const double> weights, data::Random& random);

  // The same, the weights chosen by weigh from gradients taken where source says.
  StepLosses with_solver(const Batch& batch, GradientSource source, const Weigh& weigh, data::Random& random);

  // From now on the featurizer is constant; its parameters get no gradient.
  void freeze_featurizer();

 private:
  struct Cut;
  Cut cut(const Batch& batch) const;
  std::vector<torch::Tensor> values(const objectives::HeadView& view, data::Random& random) const;
  StepLosses network_step(const Batch& batch, GradientSource source, const Weigh& weigh,
                          data::Random& random);
  void set_gradients(const Cut& cut, const torch::Tensor& logit_gradient, torch::Tensor feature_gradient);
  [[nodiscard]] bool gradients_finite() const;

  std::shared_ptr<models::Model> model_;
  std::span<const std::unique_ptr<objectives::Objective>> objectives_;
  data::TaskLoss loss_;
  bool needs_network_ = false;
  bool frozen_ = false;
};

}  // namespace pair::train
