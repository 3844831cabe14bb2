#pragma once

#include <c10/cuda/CUDAStream.h>
#include <torch/types.h>

namespace pair::device {

// The stream of this thread on the tensor's device: where torch's own operations on it are queued.
inline cudaStream_t stream_of(const torch::Tensor& tensor) {
  return c10::cuda::getCurrentCUDAStream(tensor.device().index()).stream();
}

}  // namespace pair::device
