#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <deque>
#include <mutex>

#include "pair/device/recorder.h"

namespace pair::device {
namespace {

class CudaScope : public Recorder::Scope {
 public:
  explicit CudaScope(c10::cuda::CUDAStream stream) : guard_(stream) {}

 private:
  c10::cuda::CUDAStreamGuard guard_;
};

// LibTorch keeps a list of all recordings beside its random generators, one a process and without a lock:
// what makes or ends one takes its turn. Playing does not.
std::recursive_mutex& recording_turn() {
  static std::recursive_mutex mutex;
  return mutex;
}

class CudaRecording : public Recording {
 public:
  CudaRecording() = default;
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;
  ~CudaRecording() override {
    const std::lock_guard turn(recording_turn());
    graphs_.clear();
  }

  at::cuda::CUDAGraph& add() { return graphs_.emplace_back(); }
  void play(std::size_t part) override { graphs_[part].replay(); }

 private:
  std::deque<at::cuda::CUDAGraph> graphs_;
};

class CudaRecorder : public Recorder {
 public:
  explicit CudaRecorder(torch::Device device)
      : stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())) {}

  std::unique_ptr<Scope> enter() override { return std::make_unique<CudaScope>(stream_); }

  std::unique_ptr<Recording> record(std::span<const Work> parts, std::string& why) override {
    const std::lock_guard turn(recording_turn());
    const CudaScope scope(stream_);
    stream_.synchronize();
    auto recording = std::make_unique<CudaRecording>();
    // One pool of memory for the parts, which hand tensors on; it goes with the last of its recordings.
    const at::cuda::MempoolId_t pool = at::cuda::graph_pool_handle();
    try {
      for (const Work& part : parts) {
        capture(recording->add(), pool, part);
      }
    } catch (const c10::Error& error) {
      why = error.what_without_backtrace();
      return nullptr;
    }
    return recording;
  }

 private:
  static void capture(at::cuda::CUDAGraph& graph, at::cuda::MempoolId_t pool, const Work& part) {
    // Thread-local: other runs may allocate device memory meanwhile.
    graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    try {
      part();
    } catch (...) {
      try {
        graph.capture_end();
      } catch (const c10::Error&) {
        // The first error is the one that tells.
      }
      throw;
    }
    graph.capture_end();
  }

  c10::cuda::CUDAStream stream_;
};

}  // namespace

std::unique_ptr<Recorder> make_recorder(torch::Device device) {
  return device.is_cuda() ? std::make_unique<CudaRecorder>(device) : nullptr;
}

}  // namespace pair::device
