#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/data/tar.h"
#include "pair/data/torch_container.h"

// The tar archive of PyTorch's first versions: the files pickle, storages and tensors.

namespace pair::data::torch_container {
namespace {

using Kind = PickleValue::Kind;

// A key of the tar container: a number, or its digits.
std::optional<std::int64_t> tar_key(const PickleValue& value) {
  if (value.kind == Kind::integer) {
    return value.number;
  }
  return value.kind == Kind::text ? base::number_from<std::int64_t>(value.text) : std::nullopt;
}

class TarContainer {
 public:
  TarContainer(BytesView file, std::string_view what) : what_(what), budget_(file.size(), what) {
    for (const TarFile& entry : tar_files(file, what)) {
      parts_.insert_or_assign(entry.path, entry.content);
    }
  }

  TorchTensors parse() {
    read_storages(part("storages"));
    read_tensors(part("tensors"));
    const Pickle pickle = read_part(part("pickle"), what_, PersistentIds::opaque);
    for (const auto& [name, value] : state_dict(pickle, Kind::external, what_)) {
      const std::optional<std::int64_t> key =
          tar_key(pickle.externals[static_cast<std::size_t>(value.number)]);
      const auto found = key ? tensors_.find(*key) : tensors_.end();
      if (found == tensors_.end()) {
        refuse(what_, shown_tensor(name) + ": expected a tensor of the archive, got none");
      }
      result_.tensors.push_back(
          view_of_tensor(name, found->second.first, found->second.second, budget_, result_.unpacked, what_));
    }
    return std::move(result_);
  }

 private:
  BytesView part(const std::string& name) const {
    const auto found = parts_.find(name);
    if (found == parts_.end()) {
      refuse(what_, "expected a tar archive that torch.save wrote, got one without '" + name + "'");
    }
    return found->second;
  }

  Pickle next(BytesView bytes, std::size_t& at) const {
    Pickle pickle = read_part(bytes.subspan(at), what_, PersistentIds::opaque);
    at += pickle.length;
    return pickle;
  }
  // A tuple of values.
  static std::span<const PickleValue> row(const Pickle& pickle, const PickleValue& value) {
    return value.kind == Kind::tuple || value.kind == Kind::list
               ? std::span<const PickleValue>(pickle.items(value))
               : std::span<const PickleValue>();
  }
  std::int64_t counted(const Pickle& pickle) const {
    if (pickle.value.kind != Kind::integer) {
      refuse(what_, "the tar archive is damaged: expected a count, got another value");
    }
    return pickle.value.number;
  }
  [[noreturn]] void damaged(const char* part) const {
    refuse(what_, std::string("the tar archive is damaged in its part '") + part + "'");
  }

  void read_storages(BytesView bytes) {
    std::size_t at = 0;
    const std::int64_t count = counted(next(bytes, at));
    for (std::int64_t i = 0; i < count; ++i) {
      const Pickle described = next(bytes, at);
      const auto parts = row(described, described.value);  // key, place, type
      DType dtype = DType::f32;
      const std::optional<std::int64_t> key = parts.size() == 3 ? tar_key(parts[0]) : std::nullopt;
      if (!key || !storage_dtype(parts[2], dtype)) {
        damaged("storages");
      }
      storages_.insert_or_assign(*key, next_storage(bytes, at, dtype, what_));
    }
    const Pickle views = next(bytes, at);
    for (const PickleValue& each : row(views, views.value)) {
      const auto parts = row(views, each);  // key, root's key, offset, count
      const std::optional<std::int64_t> key = parts.size() == 4 ? tar_key(parts[0]) : std::nullopt;
      const std::optional<std::int64_t> root = key ? tar_key(parts[1]) : std::nullopt;
      const auto whole = root ? storages_.find(*root) : storages_.end();
      if (whole == storages_.end() || parts[2].number < 0 || parts[3].number < 0) {
        damaged("storages");
      }
      const std::optional<StoredNumbers> numbers =
          part_of_storage(whole->second, static_cast<std::uint64_t>(parts[2].number),
                          static_cast<std::uint64_t>(parts[3].number));
      if (!numbers) {
        damaged("storages");
      }
      storages_.insert_or_assign(*key, *numbers);
    }
  }

  void read_tensors(BytesView bytes) {
    std::size_t at = 0;
    const std::int64_t count = counted(next(bytes, at));
    for (std::int64_t i = 0; i < count; ++i) {
      const Pickle described = next(bytes, at);
      const auto parts = row(described, described.value);  // key, storage's key, class
      const std::optional<std::int64_t> key = parts.size() == 3 ? tar_key(parts[0]) : std::nullopt;
      const std::optional<std::int64_t> storage = key ? tar_key(parts[1]) : std::nullopt;
      const auto numbers = storage ? storages_.find(*storage) : storages_.end();
      // The number of dimensions in 4 of 8 bytes, then sizes, strides and the offset of 8 bytes each.
      constexpr std::uint64_t most_dimensions = 16;
      if (numbers == storages_.end() || bytes.size() - at < 8) {
        damaged("tensors");
      }
      const std::uint64_t dimensions = little_64(bytes, at) & 0xffffffffU;
      at += 8;
      if (dimensions > most_dimensions || bytes.size() - at < 8 * (2 * dimensions + 1)) {
        damaged("tensors");
      }
      const auto number = [&] {
        const std::uint64_t value = little_64(bytes, at);
        at += 8;
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
          damaged("tensors");
        }
        return static_cast<std::int64_t>(value);
      };
      PickledTensor tensor;
      for (std::uint64_t d = 0; d < dimensions; ++d) {
        tensor.sizes.push_back(number());
      }
      for (std::uint64_t d = 0; d < dimensions; ++d) {
        tensor.strides.push_back(number());
      }
      tensor.offset = number();
      tensors_.insert_or_assign(*key, std::pair(std::move(tensor), numbers->second));
    }
  }

  std::string_view what_;
  Budget budget_;
  std::map<std::string, BytesView> parts_;
  std::map<std::int64_t, StoredNumbers> storages_;
  std::map<std::int64_t, std::pair<PickledTensor, StoredNumbers>> tensors_;
  TorchTensors result_{.tensors = {}, .container = "tar", .unpacked = {}};
};

}  // namespace

// The mark of POSIX's format, which Python's tarfile writes.
bool is_tar(BytesView bytes) {
  constexpr std::string_view mark = "ustar";
  constexpr std::size_t place = 257;
  return bytes.size() >= place + mark.size() && std::ranges::equal(bytes.subspan(place, mark.size()), mark);
}

TorchTensors parse_tar(BytesView file, std::string_view what) {
  return TarContainer(file, what).parse();
}

}  // namespace pair::data::torch_container
