#include "pair/train/rank_launch.h"

// For a LibTorch without Gloo, or without its headers.

namespace pair::train {
namespace {

[[noreturn]] void refuse_several() {
  throw std::runtime_error(
      "this pair was built without Gloo's headers, which connect processes (Debian: libgloo-dev): expected "
      "one process, got several");
}

}  // namespace

class RankStore {};

std::shared_ptr<RankStore> host_store() {
  refuse_several();
}

std::int64_t port_of(const RankStore& /*store*/) {
  refuse_several();
}

Ranks connected(const RankPlace& place, const std::shared_ptr<RankStore>& /*store*/,
                std::chrono::seconds /*wait*/) {
  if (place.ranks == 1) {
    return {};
  }
  refuse_several();
}

}  // namespace pair::train
