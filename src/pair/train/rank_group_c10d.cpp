#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif
#include <torch/types.h>

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/train/rank_launch.h"

// Ranks connected by LibTorch's c10d: Gloo for tensors on the host and, where LibTorch has it, NCCL for those
// on CUDA devices, which otherwise travel by the host. The only file that uses c10d. Compiled with
// USE_C10D_GLOO, without which LibTorch's header is empty, and USE_C10D_NCCL if NCCL's header was found
// (CMakeLists.txt).

namespace pair::train {

class RankStore {
 public:
  explicit RankStore(c10::intrusive_ptr<c10d::TCPStore> tcp) : tcp_(std::move(tcp)) {}
  [[nodiscard]] const c10::intrusive_ptr<c10d::TCPStore>& tcp() const { return tcp_; }

 private:
  c10::intrusive_ptr<c10d::TCPStore> tcp_;
};

namespace {

constexpr auto loopback = "127.0.0.1";

bool is_loopback(std::string_view address) {
  return address == loopback || address == "localhost";
}

std::chrono::seconds longest_wait() {
  return rank_timeout([](const char* name) { return std::getenv(name); });
}

c10::intrusive_ptr<c10d::TCPStore> tcp_store(const std::string& host, std::int64_t port, bool hosts,
                                             std::chrono::seconds wait) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = hosts;
  options.waitWorkers = false;
  options.timeout = wait;
  return c10::make_intrusive<c10d::TCPStore>(host, options);
}

// The first line of an error's text, without LibTorch's stack trace and the place in Gloo's source.
std::string sentence_of(const std::exception& error) {
  std::string_view text = error.what();
  text = text.substr(0, text.find('\n'));
  if (text.starts_with('[')) {
    const std::size_t end = text.find("] ");
    text.remove_prefix(end == std::string_view::npos ? 0 : end + 2);
  }
  return std::string(text.substr(0, text.find(". This may indicate")));
}

template <class Work>
auto reaching_others(const Work& work) {
  try {
    return work();
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::exception& error) {
    throw RankLost("another rank has ended or cannot be reached (" + sentence_of(error) +
                   "); the same command continues from the last checkpoint");
  }
}

class C10dGroup : public RankGroup {
 public:
  C10dGroup(const RankPlace& place, std::shared_ptr<RankStore> store,
            const c10::intrusive_ptr<c10d::Store>& keys, std::chrono::seconds wait)
      : place_(place), store_(std::move(store)) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->timeout = wait;
    options->devices.push_back(is_loopback(place.address)
                                   ? c10d::ProcessGroupGloo::createDeviceForHostname(loopback)
                                   : c10d::ProcessGroupGloo::createDefaultDevice());
    gloo_ = c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>("gloo", keys),
                                                        static_cast<int>(place.rank),
                                                        static_cast<int>(place.ranks), options);
#ifdef USE_C10D_NCCL
    keys_ = keys;
#endif
  }

  [[nodiscard]] std::int64_t rank() const override {
    return place_.rank;
  }
  [[nodiscard]] std::int64_t size() const override {
    return place_.ranks;
  }
  [[nodiscard]] std::int64_t local_rank() const override {
    return place_.local_rank;
  }

  [[nodiscard]] at::Tensor exchanged(const at::Tensor& sent) override {
    return with_group(sent, [](auto& group, const at::Tensor& own) {
      at::Tensor from = own;
      at::Tensor received = at::empty_like(own);
      std::vector<std::int64_t> equal;
      c10d::AllToAllOptions options;
      options.timeout = longest_wait();
      group.alltoall_base(received, from, equal, equal, options)->wait();
      return received;
    });
  }

  [[nodiscard]] at::Tensor gathered(const at::Tensor& sent) override {
    return with_group(sent, [this](auto& group, const at::Tensor& own) {
      std::vector<std::int64_t> shape = own.sizes().vec();
      shape.insert(shape.begin(), size());
      at::Tensor all = at::empty(shape, own.options());
      std::vector<std::vector<at::Tensor>> parts{all.unbind(0)};
      std::vector<at::Tensor> from{own};
      c10d::AllgatherOptions options;
      options.timeout = longest_wait();
      group.allgather(parts, from, options)->wait();
      return all;
    });
  }

  void broadcast(at::Tensor& numbers) override {
    numbers = with_group(numbers, [](auto& group, const at::Tensor& own) {
      std::vector<at::Tensor> tensors{own};
      c10d::BroadcastOptions options;
      options.rootRank = 0;
      options.timeout = longest_wait();
      group.broadcast(tensors, options)->wait();
      return own;
    });
  }

 private:
  template <class Work>
  at::Tensor with_group(const at::Tensor& own, const Work& work) {
    return reaching_others([&]() -> at::Tensor {
      if (own.is_cpu()) {
        return work(*gloo_, own);
      }
#ifdef USE_C10D_NCCL
      if (!nccl_) {
        nccl_ = c10::make_intrusive<c10d::ProcessGroupNCCL>(
            c10::make_intrusive<c10d::PrefixStore>("nccl", keys_), static_cast<int>(place_.rank),
            static_cast<int>(place_.ranks), c10d::ProcessGroupNCCL::Options::create());
      }
      return work(*nccl_, own);
#else
      return work(*gloo_, own.cpu()).to(own.device());
#endif
    });
  }

  RankPlace place_;
  std::shared_ptr<RankStore> store_;  // as long as others may read it
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
#ifdef USE_C10D_NCCL
  c10::intrusive_ptr<c10d::Store> keys_;
  c10::intrusive_ptr<c10d::ProcessGroupNCCL> nccl_;
#endif
};

}  // namespace

std::shared_ptr<RankStore> host_store() {
  return std::make_shared<RankStore>(tcp_store(loopback, 0, /*hosts=*/true, longest_wait()));
}

std::int64_t port_of(const RankStore& store) {
  return store.tcp()->getPort();
}

Ranks connected(const RankPlace& place, const std::shared_ptr<RankStore>& store, std::chrono::seconds wait) {
  if (place.ranks == 1) {
    return {};
  }
  try {
    std::shared_ptr<RankStore> own = store;
    if (!own) {
      own = std::make_shared<RankStore>(
          tcp_store(place.address, place.port, place.hosts_store && place.rank == 0, wait));
    }
    own->tcp()->setTimeout(wait);
    const c10::intrusive_ptr<c10d::Store> keys =
        c10::make_intrusive<c10d::PrefixStore>(place.prefix + "/pair", own->tcp());
    return Ranks(std::make_shared<C10dGroup>(place, own, keys, wait));
  } catch (const std::exception& error) {
    throw RankLost("rank " + std::to_string(place.rank) + " of " + std::to_string(place.ranks) +
                   " cannot connect to the others at " + place.address + ":" + std::to_string(place.port) +
                   " (" + sentence_of(error) + ")");
  }
}

}  // namespace pair::train
