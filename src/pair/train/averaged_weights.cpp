#include "pair/train/averaged_weights.h"

#include <torch/utils.h>

#include <cmath>
#include <stdexcept>

#include "pair/train/archive.h"

namespace pair::train {
namespace {

void copy_each(const std::vector<torch::Tensor>& to, const std::vector<torch::Tensor>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    torch::Tensor(to[i]).copy_(from[i], /*non_blocking=*/true);
  }
}

std::vector<torch::Tensor> copies_of(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> copies;
  copies.reserve(tensors.size());
  for (const torch::Tensor& tensor : tensors) {
    copies.push_back(tensor.detach().clone());
  }
  return copies;
}

}  // namespace

AveragedWeights::AveragedWeights(models::Model& model, const Settings& settings)
    : first_(settings.steps + 1 -
             static_cast<std::int64_t>(std::ceil(settings.average * static_cast<double>(settings.steps)))),
      weights_(model.parameters()) {
  for (const torch::Tensor& buffer : model.buffers()) {
    if (buffer.is_floating_point()) {
      weights_.push_back(buffer);
    }
  }
}

void AveragedWeights::add(std::int64_t steps_taken) {
  if (steps_taken < first_) {
    return;
  }
  const torch::NoGradGuard no_graph;
  ++count_;
  if (means_.empty()) {
    means_ = copies_of(weights_);
    return;
  }
  // mean += (weights - mean) / count, in a few operations for all tensors.
  const std::vector<torch::Tensor> differences = at::_foreach_sub(weights_, means_);
  at::_foreach_add_(means_, differences, 1.0 / static_cast<double>(count_));
}

AveragedWeights::Use::Use(AveragedWeights& weights) : weights_(weights) {
  if (!weights_.means_.empty()) {
    const torch::NoGradGuard no_graph;
    own_ = copies_of(weights_.weights_);
    copy_each(weights_.weights_, weights_.means_);
  }
}

AveragedWeights::Use::~Use() {
  if (!own_.empty()) {
    const torch::NoGradGuard no_graph;
    copy_each(weights_.weights_, own_);
  }
}

void AveragedWeights::save(torch::serialize::OutputArchive& archive) const {
  if (count_ > 0) {
    write(archive, "average", means_);
    archive.write("averaged_steps", c10::IValue(count_));
  }
}

void AveragedWeights::load(torch::serialize::InputArchive& archive) {
  c10::IValue count;
  means_.clear();
  count_ = 0;
  if (!archive.try_read("averaged_steps", count)) {
    return;
  }
  const std::vector<torch::Tensor> saved = read_tensors(archive, "average");
  if (saved.size() != weights_.size()) {
    throw std::runtime_error("the checkpoint has an average of " + std::to_string(saved.size()) +
                             " tensors; expected " + std::to_string(weights_.size()));
  }
  // In the memory order of the network's, which operations on lists of tensors need to be fast.
  means_ = copies_of(weights_);
  copy_each(means_, saved);
  count_ = count.toInt();
}

}  // namespace pair::train
