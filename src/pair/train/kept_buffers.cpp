#include "pair/train/kept_buffers.h"

#include <torch/utils.h>

#include <utility>

namespace pair::train {

KeptBuffers::KeptBuffers(std::vector<torch::Tensor> buffers) : buffers_(std::move(buffers)) {
  for (const torch::Tensor& buffer : buffers_) {
    kept_.push_back(buffer.detach().clone());
  }
}

KeptBuffers KeptBuffers::gathering(const std::vector<torch::Tensor>& buffers) {
  const torch::NoGradGuard no_graph;
  std::vector<torch::Tensor> vectors;
  std::vector<bool> done(buffers.size(), false);
  for (std::size_t first = 0; first < buffers.size(); ++first) {
    std::vector<torch::Tensor> alike;
    std::vector<torch::Tensor> flat;
    for (std::size_t i = first; !done[first] && i < buffers.size(); ++i) {
      if (!done[i] && buffers[i].scalar_type() == buffers[first].scalar_type() &&
          buffers[i].device() == buffers[first].device()) {
        alike.push_back(buffers[i]);
        flat.push_back(buffers[i].detach().reshape({-1}));
      }
    }
    if (alike.empty()) {
      continue;
    }
    const torch::Tensor vector = torch::cat(flat);
    std::int64_t start = 0;
    for (torch::Tensor& buffer : alike) {
      const std::int64_t count = buffer.numel();
      buffer.set_data(vector.narrow(0, start, count).view(buffer.sizes()));
      start += count;
    }
    for (std::size_t i = first; i < buffers.size(); ++i) {
      done[i] = done[i] ||
                (buffers[i].scalar_type() == vector.scalar_type() && buffers[i].device() == vector.device());
    }
    vectors.push_back(vector);
  }
  return KeptBuffers(std::move(vectors));
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
