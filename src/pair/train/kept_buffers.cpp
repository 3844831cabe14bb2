#include "pair/train/kept_buffers.h"

#include <torch/utils.h>

#include <utility>

namespace pair::train {

KeptBuffers::KeptBuffers(std::vector<torch::Tensor> buffers) : buffers_(std::move(buffers)) {
  for (const torch::Tensor& buffer : buffers_) {
    kept_.push_back(buffer.detach().clone());
  }
}

void KeptBuffers::keep() {
  const torch::NoGradGuard no_graph;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    kept_[i].copy_(buffers_[i]);
  }
}

void KeptBuffers::restore() {
  const torch::NoGradGuard no_graph;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].copy_(kept_[i]);
  }
}

void KeptBuffers::restore_where(const torch::Tensor& refused) {
  const torch::NoGradGuard no_graph;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    kept_[i].copy_(torch::where(refused, kept_[i], buffers_[i]));
    buffers_[i].copy_(kept_[i]);
  }
}

}  // namespace pair::train
