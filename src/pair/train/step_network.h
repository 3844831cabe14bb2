#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <vector>

#include "pair/data/random.h"
#include "pair/data/share.h"
#include "pair/data/task_loss.h"
#include "pair/models/model.h"
#include "pair/objectives/objective.h"
#include "pair/train/batch.h"
#include "pair/train/settings.h"

// Common parts of all paths to a step's gradient (step_path.h): the model as featurizer and head, the
// objectives, and the conversion of parts of a gradient to one flat vector.

namespace pair::train {

// How the featurizer works.
struct NetworkOptions {
  // In fp16, by kernels of the model (Model::steps_in_half), unless an objective needs the network.
  bool half = false;
  Precision precision = Precision::fp32;
  // Parts that a batch goes through the featurizer in, each with an equal share of every environment. With
  // several, the features of all parts are computed without a graph; what follows sees the whole batch; and
  // each part is computed again, with its graph, to propagate its rows of the one weighted gradient. So the
  // gradient is that of the whole batch for any objective of features and logits, only one part's activations
  // are in memory, and the featurizer runs forward twice. Only BatchNorm tells the difference: in training
  // mode it normalises each part by itself, and its running statistics see each part. At least 1; at most the
  // samples of the smallest environment.
  std::int64_t parts = 1;
};

// A pass through the featurizer.
struct Features {
  torch::Tensor values;  // [n, d], with the featurizer's graph if that is in one part
  Batch batch;           // for the second pass of a batch in several parts
  bool trained = false;  // whether a gradient can be propagated
};

// The gradients of the featurizer's trained parameters; to be multiplied by factor if that is defined.
struct FeaturizerGradient {
  std::vector<torch::Tensor> pieces;
  torch::Tensor factor;
};

class StepNetwork {
 public:
  // The caller keeps the objectives.
  StepNetwork(std::shared_ptr<models::Model> model,
              std::span<const std::unique_ptr<objectives::Objective>> objectives, data::TaskLoss loss,
              const NetworkOptions& options);

  [[nodiscard]] models::Model& model() const { return *model_; }
  [[nodiscard]] std::span<const std::unique_ptr<objectives::Objective>> objectives() const {
    return objectives_;
  }
  [[nodiscard]] data::TaskLoss loss() const { return loss_; }
  [[nodiscard]] bool half() const { return options_.half; }
  [[nodiscard]] std::int64_t parts() const { return options_.parts; }

  // The trained parameters, in the model's order, and those of the featurizer.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  [[nodiscard]] std::vector<torch::Tensor> trained_featurizer() const;
  [[nodiscard]] bool of_head(const torch::Tensor& parameter) const;

  // phi(x), ready for through_featurizer.
  [[nodiscard]] Features features_of(const Batch& batch) const;
  // phi(x) with its graph, in one part.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& inputs) const;
  // The value of each objective: a scalar of type double.
  [[nodiscard]] std::vector<torch::Tensor> values(const objectives::HeadView& view,
                                                  data::Random& random) const;

  // Maps the gradient in the features, which may be undefined, to the featurizer's trained parameters. again:
  // whether the graph is needed once more.
  [[nodiscard]] FeaturizerGradient through_featurizer(const Features& features,
                                                      const torch::Tensor& feature_gradient,
                                                      bool again) const;

  // Flat, over parameters(); head_gradient: weight and then bias, or undefined for zeros.
  [[nodiscard]] torch::Tensor joined(const FeaturizerGradient& featurizer,
                                     const torch::Tensor& head_gradient) const;
  // The same with the featurizer's gradient flat, over trained_featurizer().
  [[nodiscard]] torch::Tensor joined(const torch::Tensor& featurizer,
                                     const torch::Tensor& head_gradient) const;
  // Parts of the parameters' gradient, flat; the featurizer's multiplied by factor if that is defined.
  [[nodiscard]] torch::Tensor joined(const std::vector<torch::Tensor>& pieces,
                                     const std::vector<torch::Tensor>& parameters,
                                     const torch::Tensor& factor) const;

 private:
  // The part of the head's gradient that belongs to its weight or bias; undefined: zeros.
  [[nodiscard]] torch::Tensor head_part(const torch::Tensor& head_gradient,
                                        const torch::Tensor& parameter) const;
  // phi(x) of a part's rows.
  [[nodiscard]] torch::Tensor forward_part(const Batch& batch, data::Share part) const;
  // The featurizer's gradient, one part after another.
  [[nodiscard]] std::vector<torch::Tensor> in_parts(const Features& features,
                                                    const std::vector<torch::Tensor>& featurizer,
                                                    const torch::Tensor& gradient, bool again) const;

  std::shared_ptr<models::Model> model_;
  std::span<const std::unique_ptr<objectives::Objective>> objectives_;
  data::TaskLoss loss_;
  NetworkOptions options_;
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
