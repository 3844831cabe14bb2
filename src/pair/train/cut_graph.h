#pragma once

#include <torch/types.h>

#include <memory>
#include <utility>
#include <vector>

#include "pair/train/shared_cut.h"
#include "pair/train/step_network.h"
#include "pair/train/step_path.h"
#include "pair/train/tracked_moments.h"

// The path of most steps: the graph is cut twice, at the features and at the logits.
//
//     x --phi--> features | --w--> logits | --> objectives L_1..L_m
//
// The featurizer runs forward once with its graph; everything behind it works on leaves. An objective's
// gradient starts from dL_k/dlogits (and dL_k/dfeatures if it uses them), which are cheap to compute
// (moments.h has a third cut, at the risks). Since the head is linear, the gradients of its parameters for
// all m objectives are one matrix product, (dL/dlogits)^T features. They give the Gram matrix; a solver turns
// that into weights; and one weighted gradient goes back through the featurizer, once. Gradients from phi or
// f need one backward pass per objective.

namespace pair::train {

class CutGraph : public StepPath {
 public:
  explicit CutGraph(std::shared_ptr<const StepNetwork> network);
  ~CutGraph() override;

  // From now on objectives see these averages in place of the batch's moments.
  void track(std::shared_ptr<TrackedMoments> tracked) { tracked_ = std::move(tracked); }

  // From now on batches are one rank's, and losses and gradients those of all ranks' together.
  void share(const Ranks& ranks) { shared_ = SharedCut(ranks, network_->objectives()); }

  Result with_weights(const Batch& batch, std::span<const double> weights, data::Random& random) override;
  torch::Tensor compare(const Batch& batch, GradientSource source, data::Random& random,
                        const torch::Tensor& also) override;
  torch::Tensor gradient(const torch::Tensor& weights) override;
  void forget() override;

 private:
  struct Cut;
  struct Compared;

  [[nodiscard]] Cut cut(const Batch& batch);
  // The moments of samples that give no gradient, in evaluation mode.
  [[nodiscard]] Moments measured(const MeasuringSamples& samples) const;
  [[nodiscard]] torch::Tensor row_sums(const torch::Tensor& rows);
  // The head's weight and bias, one after the other.
  [[nodiscard]] torch::Tensor head_gradient(const Cut& cut, const torch::Tensor& logit_gradient);
  [[nodiscard]] torch::Tensor back(const Cut& cut, const torch::Tensor& logit_gradient,
                                   torch::Tensor feature_gradient, const torch::Tensor& known_head);

  std::shared_ptr<const StepNetwork> network_;
  bool takes_derivatives_;
  std::unique_ptr<Compared> compared_;  // between compare and gradient
  std::shared_ptr<TrackedMoments> tracked_;
  SharedCut shared_;

  // Constants of all steps: on a device, each would cost one more operation.
  torch::Tensor ones_;       // [n]
  torch::Tensor no_slope_;   // [environments] zeros
  torch::Tensor erm_slope_;  // [environments]: derivative of the mean risk in each risk
};

}  // namespace pair::train
