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

// What all ways to a step's gradient (step_path.h) share: the model as featurizer and head, the objectives,
// and how pieces of a gradient become one flat vector.

namespace pair::train {

// What the featurizer's trained parameters get: pieces, each to be multiplied by factor where that is
// defined.
struct FeaturizerGradient {
  std::vector<torch::Tensor> pieces;
  torch::Tensor factor;
};

class StepNetwork {
 public:
  // objectives are kept by the caller. half: the featurizer works in 16 bits.
  StepNetwork(std::shared_ptr<models::Model> model,
              std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss,
              bool half);

  [[nodiscard]] models::Model& model() const { return *model_; }
  [[nodiscard]] std::span<const std::unique_ptr<objectives::Objective>> objectives() const {
    return objectives_;
  }
  [[nodiscard]] data::TaskLoss loss() const { return loss_; }
  [[nodiscard]] bool half() const { return half_; }

  // The parameters that are trained, in the model's order, and those of them that are the featurizer's.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  [[nodiscard]] std::vector<torch::Tensor> trained_featurizer() const;
  [[nodiscard]] bool of_head(const torch::Tensor& parameter) const;

  // phi(x) with its graph.
  [[nodiscard]] torch::Tensor features_of(const Batch& batch) const;
  // The objectives' values, scalars in doubles.
  [[nodiscard]] std::vector<torch::Tensor> values(const objectives::HeadView& view,
                                                  data::Random& random) const;

  // From the gradient in the features, or undefined, back to the featurizer's trained parameters. again:
  // whether the graph is needed once more.
  [[nodiscard]] FeaturizerGradient through_featurizer(const torch::Tensor& features,
                                                      const torch::Tensor& feature_gradient,
                                                      bool again) const;

  // Flat, over parameters(); head_gradient: weight and then bias, or undefined for zeros.
  [[nodiscard]] torch::Tensor joined(const FeaturizerGradient& featurizer,
                                     const torch::Tensor& head_gradient) const;
  // Pieces of the parameters, flat; the featurizer's multiplied by factor where that is defined.
  [[nodiscard]] torch::Tensor joined(const std::vector<torch::Tensor>& pieces,
                                     const std::vector<torch::Tensor>& parameters,
                                     const torch::Tensor& factor) const;

 private:
  std::shared_ptr<models::Model> model_;
  std::span<const std::unique_ptr<objectives::Objective>> objectives_;
  data::TaskLoss loss_;
  bool half_;
};

// The losses and the Gram matrix of the rows [m, parameters] as [m + m m] doubles, followed by `also` where
// that is defined.
torch::Tensor losses_and_gram(const std::vector<torch::Tensor>& values, const torch::Tensor& rows,
                              const torch::Tensor& also);

// sum_k weights_k rows_k of rows [m, ...], in one product; weights of the rows' type.
torch::Tensor combine(const torch::Tensor& weights, const torch::Tensor& rows);

// sum + term, where either may be undefined, which counts as zero.
torch::Tensor sum_of(torch::Tensor sum, const torch::Tensor& term);

// sum_k weights_k terms_k; undefined where all weights are 0.
torch::Tensor weighted_sum(const std::vector<torch::Tensor>& terms, std::span<const double> weights);

}  // namespace pair::train
