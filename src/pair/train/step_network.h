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

// Common parts of all paths to a step's gradient (step_path.h): the model as featurizer and head, the
// objectives, and the conversion of parts of a gradient to one flat vector.

namespace pair::train {

// The gradients of the featurizer's trained parameters; to be multiplied by factor if that is defined.
struct FeaturizerGradient {
  std::vector<torch::Tensor> pieces;
  torch::Tensor factor;
};

class StepNetwork {
 public:
  // The caller keeps the objectives. half: the featurizer works in 16 bits.
  StepNetwork(std::shared_ptr<models::Model> model,
              std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss,
              bool half);

  [[nodiscard]] models::Model& model() const { return *model_; }
  [[nodiscard]] std::span<const std::unique_ptr<objectives::Objective>> objectives() const {
    return objectives_;
  }
  [[nodiscard]] data::TaskLoss loss() const { return loss_; }
  [[nodiscard]] bool half() const { return half_; }

  // The trained parameters, in the model's order, and those of the featurizer.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  [[nodiscard]] std::vector<torch::Tensor> trained_featurizer() const;
  [[nodiscard]] bool of_head(const torch::Tensor& parameter) const;

  // phi(x) with its graph.
  [[nodiscard]] torch::Tensor features_of(const Batch& batch) const;
  // The value of each objective: a scalar of type double.
  [[nodiscard]] std::vector<torch::Tensor> values(const objectives::HeadView& view,
                                                  data::Random& random) const;

  // Maps the gradient in the features, which may be undefined, to the featurizer's trained parameters. again:
  // whether the graph is needed once more.
  [[nodiscard]] FeaturizerGradient through_featurizer(const torch::Tensor& features,
                                                      const torch::Tensor& feature_gradient,
                                                      bool again) const;

  // Flat, over parameters(); head_gradient: weight and then bias, or undefined for zeros.
  [[nodiscard]] torch::Tensor joined(const FeaturizerGradient& featurizer,
                                     const torch::Tensor& head_gradient) const;
  // Parts of the parameters' gradient, flat; the featurizer's multiplied by factor if that is defined.
  [[nodiscard]] torch::Tensor joined(const std::vector<torch::Tensor>& pieces,
                                     const std::vector<torch::Tensor>& parameters,
                                     const torch::Tensor& factor) const;

 private:
  std::shared_ptr<models::Model> model_;
  std::span<const std::unique_ptr<objectives::Objective>> objectives_;
  data::TaskLoss loss_;
  bool half_;
};

// The losses and the Gram matrix of the rows [m, parameters] as [m + m m] doubles, followed by `also` if
// defined.
torch::Tensor losses_and_gram(const std::vector<torch::Tensor>& values, const torch::Tensor& rows,
                              const torch::Tensor& also);

// sum_k weights_k rows_k for rows [m, ...], in one product; weights of the rows' type.
torch::Tensor combine(const torch::Tensor& weights, const torch::Tensor& rows);

// sum + term; an undefined one counts as zero.
torch::Tensor sum_of(torch::Tensor sum, const torch::Tensor& term);

// sum_k weights_k terms_k; undefined if all weights are 0.
torch::Tensor weighted_sum(const std::vector<torch::Tensor>& terms, std::span<const double> weights);

}  // namespace pair::train
