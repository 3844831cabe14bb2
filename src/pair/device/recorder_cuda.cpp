#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "pair/device/recorder.h"

namespace pair::device {
namespace {

// A stream on a device. LibTorch's own pool has 32, so the thirty-third run would share one, and its work
// during another's recording would be recorded, too.
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

c10::DeviceIndex index_of(torch::Device device) {
  return device.has_index() ? device.index() : c10::cuda::current_device();
}

// Starting and ending a recording is exclusive: LibTorch keeps an unsynchronised list of all recordings next
// to its random generators, one per process, and CUDA forbids some calls, such as a wait for the whole
// device, while any thread records. Work without a recording is shared. Replaying needs no lock.
struct Turn {
  std::mutex door;  // held by a thread that waits for exclusive access, so that shared users cannot starve it
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

using at::cuda::CUDAGraph;
using at::cuda::MempoolId_t;

// The cleanup that LibTorch omits if a recording could not be ended: its allocators would keep asking the
// destroyed graph and keep its memory.
template <class HostAllocator>
void leave_pool(MempoolId_t pool, HostAllocator& host) {
  const c10::DeviceIndex device = c10::cuda::current_device();
  try {
    c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool);
    if constexpr (requires { host.end_allocate_to_pool(pool); }) {
      host.end_allocate_to_pool(pool);
    }
  } catch (const c10::Error&) {
    // It had been registered.
  }
  c10::cuda::CUDACachingAllocator::releasePool(device, pool);
  if constexpr (requires { host.release_pool(pool); }) {
    host.release_pool(pool);
  }
}

bool has_ended(CUDAGraph& graph) {
  try {
    (void)graph.pool();
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

// Requires exclusive access, on the current stream.
void capture(CUDAGraph& graph, MempoolId_t pool, const Recorder::Work& part) {
  std::exception_ptr failure;
  try {
    // Thread-local: replays of other runs are not affected.
    graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    graph.capture_end();
  } catch (const c10::Error&) {
    failure = failure ? failure : std::current_exception();
    if (!has_ended(graph)) {
      leave_pool(pool, *at::getHostAllocator(at::kCUDA));
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

// The memory of a thread's recordings. They are replayed one after another, so they can share memory. It
// outlives them, because LibTorch keeps their freed memory only for recordings in the same pool, and a sweep
// would fill the card over time. A tiny recording keeps the pool alive.
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { give_back(); }

  // Returns the memory to LibTorch as soon as no recording uses it.
  void give_back() {
    const std::unique_lock alone = take_turn_alone();
    keeper_.reset();
  }

  // Requires exclusive access, on the stream that will replay.
  MempoolId_t id() {
    if (!keeper_) {
      id_ = at::cuda::graph_pool_handle();
      auto keeper = std::make_unique<CUDAGraph>();
      capture(*keeper, id_, [] { (void)torch::zeros({1}, torch::kCUDA); });
      keeper_ = std::move(keeper);
    }
    return id_;
  }

 private:
  MempoolId_t id_ = {0, 0};
  std::unique_ptr<CUDAGraph> keeper_;
};

// The thread's stream on a device, with its memory. A thread does one run after another, and cuBLAS keeps
// tens of megabytes per stream and thread: so streams belong to threads, not to runs.
struct Queue {
  explicit Queue(c10::DeviceIndex device) : stream(device) {}
  Stream stream;
  Pool pool;
};
Queue& queue_of_thread(c10::DeviceIndex device) {
  thread_local std::map<c10::DeviceIndex, Queue> queues;
  return queues.try_emplace(device, device).first->second;
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

  CUDAGraph& add() { return graphs_.emplace_back(); }
  void play(std::size_t part) override { graphs_[part].replay(); }

 private:
  std::deque<CUDAGraph> graphs_;
};

class CudaRecorder : public Recorder {
 public:
  explicit CudaRecorder(torch::Device device)
      : queue_(queue_of_thread(index_of(device))), stream_(queue_.stream.get()) {}

  std::unique_ptr<Scope> enter() override { return std::make_unique<CudaScope>(stream_); }

  void wait() override { stream_.synchronize(); }

  void perform(const Work& work) override {
    const std::shared_lock together = share_turn();
    work();
  }

  std::unique_ptr<Recording> record(std::span<const Work> parts, std::string& why) override {
    const CudaScope scope(stream_);
    stream_.synchronize();
    try {
      try {
        return recorded(parts);
      } catch (const c10::OutOfMemoryError&) {
        // LibTorch cannot free cached memory while recording. Now it can.
        const std::unique_lock alone = take_turn_alone();
        c10::cuda::CUDACachingAllocator::emptyCache();
      }
      return recorded(parts);
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::Error& error) {
      why = error.what_without_backtrace();
      return nullptr;
    }
  }

 private:
  std::unique_ptr<Recording> recorded(std::span<const Work> parts) {
    auto recording = std::make_unique<CudaRecording>();  // destroyed after the lock, which it takes itself
    const std::unique_lock alone = take_turn_alone();
    const MempoolId_t pool = queue_.pool.id();
    for (const Work& part : parts) {
      capture(recording->add(), pool, part);
    }
    return recording;
  }

  Queue& queue_;
  c10::cuda::CUDAStream stream_;
};

}  // namespace

void perform_apart(torch::Device device, const Recorder::Work& work) {
  if (!device.is_cuda()) {
    work();
    return;
  }
  const std::shared_lock together = share_turn();
  const c10::cuda::CUDAStream stream = queue_of_thread(index_of(device)).stream.get();
  const CudaScope scope(stream);
  work();
  stream.synchronize();
}

void give_back_memory(torch::Device device) {
  if (!device.is_cuda()) {
    return;
  }
  Queue& queue = queue_of_thread(index_of(device));
  queue.stream.get().synchronize();
  queue.pool.give_back();
  const std::unique_lock alone = take_turn_alone();
  c10::cuda::CUDACachingAllocator::emptyCache();
}

std::unique_ptr<Recorder> make_recorder(torch::Device device) {
  return device.is_cuda() ? std::make_unique<CudaRecorder>(device) : nullptr;
}

}  // namespace pair::device
