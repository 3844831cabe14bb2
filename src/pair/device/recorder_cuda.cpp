#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "pair/device/recorder.h"

namespace pair::device {
namespace {

// A queue on a device. LibTorch's own pool has 32, and the thirty-third run would share one: what it does
// while the other records would be recorded too.
class Stream {
 public:
  explicit Stream(c10::DeviceIndex device) : stream_(create(device), Destroy{}), device_(device) {}
  [[nodiscard]] c10::cuda::CUDAStream get() const {
    return c10::cuda::getStreamFromExternal(stream_.get(), device_);
  }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  static cudaStream_t create(c10::DeviceIndex device) {
    const c10::cuda::CUDAGuard guard(device);
    cudaStream_t stream = nullptr;
    C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
  }

  std::unique_ptr<CUstream_st, Destroy> stream_;
  c10::DeviceIndex device_;
};

// The thread's queue on a device. A thread does one run after another, and cuBLAS keeps tens of megabytes for
// every queue it ever saw from a thread: so queues are the threads', not the runs'.
c10::cuda::CUDAStream stream_of_thread(c10::DeviceIndex device) {
  thread_local std::map<c10::DeviceIndex, Stream> streams;
  return streams.try_emplace(device, device).first->second.get();
}

c10::DeviceIndex index_of(torch::Device device) {
  return device.has_index() ? device.index() : c10::cuda::current_device();
}

// What makes or ends a recording is alone in this: LibTorch keeps a list of all recordings beside its random
// generators, one a process and without a lock, and CUDA refuses some calls, a wait for the whole device
// among them, while anybody records. What is done without a recording can go side by side. Playing asks
// nobody.
struct Turn {
  std::mutex door;  // held by who waits to be alone, so that those who share cannot keep it out for ever
  std::shared_mutex inside;
};
Turn& recording_turn() {
  static Turn turn;
  return turn;
}

std::shared_lock<std::shared_mutex> share_turn() {
  const std::lock_guard door(recording_turn().door);
  return std::shared_lock(recording_turn().inside);
}

std::unique_lock<std::shared_mutex> take_turn_alone() {
  const std::lock_guard door(recording_turn().door);
  return std::unique_lock(recording_turn().inside);
}

class CudaScope : public Recorder::Scope {
 public:
  explicit CudaScope(c10::cuda::CUDAStream stream) : guard_(stream) {}

 private:
  c10::cuda::CUDAStreamGuard guard_;
};

class CudaRecording : public Recording {
 public:
  CudaRecording() = default;
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;
  ~CudaRecording() override {
    const std::unique_lock alone = take_turn_alone();
    graphs_.clear();
  }

  at::cuda::CUDAGraph& add() { return graphs_.emplace_back(); }
  void play(std::size_t part) override { graphs_[part].replay(); }

 private:
  std::deque<at::cuda::CUDAGraph> graphs_;
};

class CudaRecorder : public Recorder {
 public:
  explicit CudaRecorder(torch::Device device) : stream_(stream_of_thread(index_of(device))) {}

  std::unique_ptr<Scope> enter() override { return std::make_unique<CudaScope>(stream_); }

  void wait() override { stream_.synchronize(); }

  void perform(const Work& work) override {
    const std::shared_lock together = share_turn();
    work();
  }

  std::unique_ptr<Recording> record(std::span<const Work> parts, std::string& why) override {
    const CudaScope scope(stream_);
    stream_.synchronize();
    auto recording = std::make_unique<CudaRecording>();
    {
      const std::unique_lock alone = take_turn_alone();
      // One pool of memory for the parts, which hand tensors on; it goes with the last of its recordings.
      const at::cuda::MempoolId_t pool = at::cuda::graph_pool_handle();
      try {
        for (const Work& part : parts) {
          capture(recording->add(), pool, part);
        }
        return recording;
      } catch (const c10::Error& error) {
        why = error.what_without_backtrace();
      }
    }
    return nullptr;
  }

 private:
  static void capture(at::cuda::CUDAGraph& graph, at::cuda::MempoolId_t pool, const Work& part) {
    // Thread-local: what other runs play meanwhile is not looked at.
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

void perform_apart(torch::Device device, const Recorder::Work& work) {
  if (!device.is_cuda()) {
    work();
    return;
  }
  const std::shared_lock together = share_turn();
  const c10::cuda::CUDAStream stream = stream_of_thread(index_of(device));
  const CudaScope scope(stream);
  work();
  stream.synchronize();
}

std::unique_ptr<Recorder> make_recorder(torch::Device device) {
  return device.is_cuda() ? std::make_unique<CudaRecorder>(device) : nullptr;
}

}  // namespace pair::device
