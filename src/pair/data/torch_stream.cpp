#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "pair/data/torch_container.h"

// The stream of PyTorch before 1.6: five pickles (a magic number, a version, facts about the system, the
// value, the keys of its storages), then the storages.

namespace pair::data::torch_container {
namespace {

using Kind = PickleValue::Kind;

// The first pickle of a stream: PyTorch's magic number 0x1950a86a20f9469cfc6c as a long of ten bytes.
constexpr std::array<std::uint8_t, 15> stream_start{0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                                    0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};

}  // namespace

bool is_stream(BytesView bytes) {
  return bytes.size() >= stream_start.size() &&
         std::ranges::equal(bytes.first(stream_start.size()), stream_start);
}

TorchTensors parse_stream(BytesView file, std::string_view what) {
  TorchTensors result{.tensors = {}, .container = "stream", .unpacked = {}};
  Budget budget(file.size(), what);
  std::size_t at = stream_start.size();
  const auto next = [&] {
    Pickle pickle = read_part(file.subspan(at), what);
    at += pickle.length;
    return pickle;
  };
  constexpr std::int64_t stream_version = 1001;
  if (const Pickle version = next();
      version.value.kind != Kind::integer || version.value.number != stream_version) {
    refuse(what, "expected version 1001 of PyTorch's stream, got another");
  }
  const Pickle system = next();
  if (system.value.kind == Kind::dictionary) {
    const NamedValues facts = by_name(system, system.value);
    const auto order = facts.find("little_endian");
    if (order != facts.end() && order->second.kind == Kind::boolean && order->second.number == 0) {
      refuse(what, "expected little-endian numbers, got another byte order");
    }
  }
  const Pickle pickle = next();
  const Pickle keys = next();
  if (keys.value.kind != Kind::list) {
    refuse(what, "expected a list of storages after the tensors, got another value");
  }
  std::map<std::string, DType> dtypes;
  for (const PickledStorage& storage : pickle.storages) {
    dtypes.emplace(storage.key, storage.dtype);
  }
  std::map<std::string, StoredNumbers> stored;
  for (const PickleValue& key : keys.items(keys.value)) {
    const std::string name = key.kind == Kind::text      ? std::string(key.text)
                             : key.kind == Kind::integer ? std::to_string(key.number)
                                                         : std::string();
    const auto dtype = dtypes.find(name);
    if (dtype == dtypes.end()) {
      refuse(what, "expected storages that tensors use, got one without a tensor");
    }
    stored.insert_or_assign(name, next_storage(file, at, dtype->second, what));
  }
  add_tensors(result, pickle, budget, what, [&](const PickledStorage& storage, const std::string& name) {
    const auto found = stored.find(storage.key);
    if (found == stored.end() || found->second.dtype != storage.dtype) {
      refuse(what, shown_tensor(name) + ": expected a storage in the file, got none");
    }
    return found->second;
  });
  return result;
}

}  // namespace pair::data::torch_container
