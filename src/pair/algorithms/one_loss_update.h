#pragma once

#include <memory>

#include "pair/data/task_loss.h"
#include "pair/models/model.h"
#include "pair/train/algorithm.h"
#include "pair/train/descent_optimizer.h"
#include "pair/train/settings.h"

namespace pair::algorithms {

// Common parts of own updates that minimise one loss (fish, lisa, mixup): the optimizer, the last value of the
// loss, and both in checkpoints. The settings of the optimizer (descent_optimizer.h) and precision apply.
class OneLossUpdate : public train::Algorithm {
 public:
  [[nodiscard]] train::NamedLosses losses() const override { return {{"loss", last_}}; }
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 protected:
  explicit OneLossUpdate(const train::UpdateContext& context);

  [[nodiscard]] models::Model& model() const { return *model_; }
  [[nodiscard]] data::TaskLoss task() const { return task_; }

  // phi(x) and w(phi(x)), in the run's precision.
  [[nodiscard]] torch::Tensor features(const torch::Tensor& inputs) const;
  [[nodiscard]] torch::Tensor logits(const torch::Tensor& inputs) const;
  // Labels in the type that the task's loss takes for outputs of this type.
  [[nodiscard]] torch::Tensor targets(const torch::Tensor& labels, torch::ScalarType outputs) const;

  // One step of the optimizer on the loss, a scalar; returns its value. Throws train::Diverged before the
  // step if the value is not finite.
  double descend(const torch::Tensor& loss, double lr);
  // The value that losses() gives, NaN before the first step.
  void set_last(double value) { last_ = value; }

 private:
  std::shared_ptr<models::Model> model_;
  data::TaskLoss task_;
  train::Precision precision_;
  train::DescentOptimizer optimizer_;
  double last_;
};

}  // namespace pair::algorithms
