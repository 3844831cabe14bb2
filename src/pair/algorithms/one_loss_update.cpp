#include "pair/algorithms/one_loss_update.h"

#include <cmath>
#include <limits>

#include "pair/train/guarded_step.h"
#include "pair/train/precision.h"

namespace pair::algorithms {

OneLossUpdate::OneLossUpdate(const train::UpdateContext& context)
    : model_(context.model),
      task_(context.data.loss),
      precision_(context.settings.precision),
      optimizer_(model_->parameters(), context.settings),
      last_(std::numeric_limits<double>::quiet_NaN()) {}

torch::Tensor OneLossUpdate::features(const torch::Tensor& inputs) const {
  return train::features_in(precision_, *model_, inputs);
}

torch::Tensor OneLossUpdate::logits(const torch::Tensor& inputs) const {
  return model_->logits(features(inputs));
}

torch::Tensor OneLossUpdate::targets(const torch::Tensor& labels, torch::ScalarType outputs) const {
  return task_ == data::TaskLoss::cross_entropy ? labels : labels.to(outputs);
}

double OneLossUpdate::descend(const torch::Tensor& loss, double lr) {
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    throw train::Diverged("the loss is not finite; a lower lr may help");
  }
  optimizer_.step(loss, lr);
  return value;
}

void OneLossUpdate::save(torch::serialize::OutputArchive& archive) const {
  torch::serialize::OutputArchive optimizer;
  optimizer_.save(optimizer);
  archive.write("adam", optimizer);  // its name in existing checkpoints; it may be SGD
  archive.write("loss", c10::IValue(last_));
}

void OneLossUpdate::load(torch::serialize::InputArchive& archive) {
  torch::serialize::InputArchive optimizer;
  archive.read("adam", optimizer);
  optimizer_.load(optimizer);
  c10::IValue loss;
  archive.read("loss", loss);
  last_ = loss.toDouble();
}

}  // namespace pair::algorithms
