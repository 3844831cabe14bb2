#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pair/data/torch_container.h"
#include "pair/data/zip.h"

// The ZIP archive of PyTorch 1.6 and later: NAME/data.pkl, NAME/data/0, ..., stored or deflated.

namespace pair::data::torch_container {

TorchTensors parse_zip(BytesView file, std::string_view what) {
  TorchTensors result{.tensors = {}, .container = "ZIP", .unpacked = {}};
  Budget budget(file.size(), what);
  std::map<std::string, ZipEntry> entries;
  std::string root;
  for (ZipEntry& entry : zip_entries(file, what)) {
    constexpr std::string_view pickle_name = "data.pkl";
    const std::size_t slash = entry.path.find('/');
    if (slash != std::string::npos && entry.path.substr(slash + 1) == pickle_name) {
      root = entry.path.substr(0, slash + 1);
    }
    std::string path = entry.path;
    entries.insert_or_assign(std::move(path), std::move(entry));
  }
  if (root.empty()) {
    refuse(what, "expected a ZIP archive that torch.save wrote, got one without data.pkl");
  }
  const auto unpacked = [&](const ZipEntry& entry) -> BytesView {
    if (!entry.deflated) {
      check_stored(entry, what);
      return entry.packed;
    }
    Bytes& bytes = result.unpacked.emplace_back(budget.bytes(entry.size));
    unpack(entry, bytes, what);
    return bytes;
  };
  if (const auto order = entries.find(root + "byteorder"); order != entries.end()) {
    const BytesView bytes = order->second.size < 16 ? unpacked(order->second) : BytesView();
    if (std::string(bytes.begin(), bytes.end()) != "little") {
      refuse(what, "expected little-endian numbers, got another byte order");
    }
  }
  const ZipEntry& pickled = entries.at(root + "data.pkl");
  if (pickled.size > longest_pickle) {
    refuse(what, "expected a data.pkl of at most " + std::to_string(longest_pickle) + " bytes, got " +
                     std::to_string(pickled.size));
  }
  const Pickle pickle = read_part(unpacked(pickled), what);

  std::map<std::string, BytesView> read;  // storages, each once
  add_tensors(result, pickle, budget, what, [&](const PickledStorage& storage, const std::string& name) {
    const std::optional<std::uint64_t> expected = bytes_in(storage.count, storage.dtype);
    const auto known = read.find(storage.key);
    const auto entry = entries.find(root + "data/" + storage.key);
    if (entry == entries.end() || !expected || entry->second.size != *expected) {
      refuse(what, shown_tensor(name) + ": expected a storage of " +
                       (expected ? std::to_string(*expected) : "countable") + " bytes, got " +
                       (entry == entries.end() ? "none" : std::to_string(entry->second.size)));
    }
    BytesView bytes;
    if (known != read.end()) {
      bytes = known->second;
    } else {
      bytes = unpacked(entry->second);
      read.emplace(storage.key, bytes);
    }
    return StoredNumbers{storage.dtype, bytes};
  });
  return result;
}

}  // namespace pair::data::torch_container
