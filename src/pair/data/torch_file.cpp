#include "pair/data/torch_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/data/pickle.h"
#include "pair/data/sha256.h"
#include "pair/data/tar.h"
#include "pair/data/zip.h"

// The containers are those of torch/serialization.py.

namespace pair::data {
namespace {

using Kind = PickleValue::Kind;

// The first pickle of a stream: PyTorch's magic number 0x1950a86a20f9469cfc6c as a long of ten bytes.
constexpr std::array<std::uint8_t, 15> stream_start{0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                                    0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};
// Pickles hold names and sizes; those of the largest models are below a megabyte.
constexpr std::uint64_t longest_pickle = std::uint64_t{64} << 20;

[[noreturn]] void refuse_torch(std::string_view what, const std::string& why) {
  throw std::runtime_error(std::string(what) + ": " + why);
}

std::string shown_tensor(std::string_view name) {
  return "tensor '" + base::printable(name.substr(0, 120)) + "'";
}

std::uint64_t little_64(BytesView bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value |= std::uint64_t{bytes[at + i]} << (8 * i);
  }
  return value;
}

// The number of bytes that a file may unpack to.
class Budget {
 public:
  Budget(std::size_t file_size, std::string_view what)
      : most_(std::uint64_t{100} * file_size + (std::uint64_t{16} << 20)), left_(most_), what_(what) {}

  Bytes bytes(std::uint64_t count) {
    if (count > left_) {
      refuse_torch(what_, "expected a file that unpacks to at most " + std::to_string(most_) +
                              " bytes (100 times its size plus 16 MiB), got one that unpacks to more");
    }
    left_ -= count;
    return Bytes(static_cast<std::size_t>(count));
  }

 private:
  std::uint64_t most_;
  std::uint64_t left_;
  std::string_view what_;
};

// The numbers of a storage.
struct StoredNumbers {
  DType dtype = DType::f32;
  BytesView bytes;
};

// count * size_of(dtype), or none on overflow.
std::optional<std::uint64_t> bytes_in(std::uint64_t count, DType dtype) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, std::uint64_t{size_of(dtype)}, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

// A part of a storage; none if it is outside.
std::optional<StoredNumbers> part_of_storage(const StoredNumbers& whole, std::uint64_t offset,
                                             std::uint64_t count) {
  const std::optional<std::uint64_t> begin = bytes_in(offset, whole.dtype);
  const std::optional<std::uint64_t> length = bytes_in(count, whole.dtype);
  if (!begin || !length || *begin > whole.bytes.size() || *length > whole.bytes.size() - *begin) {
    return std::nullopt;
  }
  return StoredNumbers{
      whole.dtype, whole.bytes.subspan(static_cast<std::size_t>(*begin), static_cast<std::size_t>(*length))};
}

bool is_row_by_row(const PickledTensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.sizes.size(); i > 0; --i) {
    if (tensor.sizes[i - 1] != 1) {
      if (tensor.strides[i - 1] != expected) {
        return false;
      }
      expected *= tensor.sizes[i - 1];
    }
  }
  return true;
}

// The tensor's numbers row by row: a view of the storage, or a copy.
TensorView view_of_tensor(const std::string& name, const PickledTensor& tensor, const StoredNumbers& storage,
                          Budget& budget, std::deque<Bytes>& unpacked, std::string_view what) {
  const auto outside = [&] {
    refuse_torch(what, shown_tensor(name) + ": expected numbers within its storage of " +
                           std::to_string(storage.bytes.size()) + " bytes, got sizes that reach beyond it");
  };
  TensorView view{name, storage.dtype, tensor.sizes, {}};
  std::uint64_t count = 1;
  std::uint64_t last = static_cast<std::uint64_t>(tensor.offset);
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    const auto size = static_cast<std::uint64_t>(tensor.sizes[i]);
    std::uint64_t reach = 0;
    if (size == 0) {
      count = 0;
    } else if (__builtin_mul_overflow(size - 1, static_cast<std::uint64_t>(tensor.strides[i]), &reach) ||
               __builtin_add_overflow(last, reach, &last) || __builtin_mul_overflow(count, size, &count)) {
      outside();
    }
  }
  if (count == 0) {
    return view;
  }
  const std::optional<std::uint64_t> length = bytes_in(count, storage.dtype);
  if (last == std::numeric_limits<std::uint64_t>::max() || !part_of_storage(storage, 0, last + 1) ||
      !length) {
    outside();
  }
  const std::size_t number = size_of(storage.dtype);
  const std::uint8_t* const first = storage.bytes.data() + static_cast<std::size_t>(tensor.offset) * number;
  if (is_row_by_row(tensor)) {
    view.bytes = {first, static_cast<std::size_t>(*length)};
    return view;
  }
  Bytes& rows = unpacked.emplace_back(budget.bytes(*length));
  std::vector<std::int64_t> index(tensor.sizes.size(), 0);
  const std::uint8_t* from = first;
  for (std::size_t to = 0; to < rows.size(); to += number) {
    std::memcpy(rows.data() + to, from, number);
    for (std::size_t i = index.size(); i > 0; --i) {
      if (tensor.sizes[i - 1] == 1) {
        continue;  // its stride may be any number
      }
      const auto stride = tensor.strides[i - 1] * static_cast<std::int64_t>(number);
      if (++index[i - 1] < tensor.sizes[i - 1]) {
        from += stride;
        break;
      }
      from -= stride * (tensor.sizes[i - 1] - 1);
      index[i - 1] = 0;
    }
  }
  view.bytes = rows;
  return view;
}

using NamedValues = std::map<std::string, PickleValue>;

NamedValues by_name(const Pickle& pickle, const PickleValue& dictionary) {
  NamedValues values;
  const std::vector<PickleValue>& items = pickle.items(dictionary);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Kind::text) {
      values.insert_or_assign(std::string(items[i].text), items[i + 1]);
    }
  }
  return values;
}

// The state dict of a file's value, only its tensors.
NamedValues state_dict(const Pickle& pickle, Kind tensor_kind, std::string_view what) {
  if (pickle.value.kind != Kind::dictionary) {
    refuse_torch(what,
                 "expected a dictionary of tensors, got another value; in Python, "
                 "torch.save(model.state_dict(), FILE) writes one");
  }
  NamedValues values = by_name(pickle, pickle.value);
  for (const char* const key : {"state_dict", "model_state_dict", "model"}) {
    const auto found = values.find(key);
    if (found != values.end() && found->second.kind == Kind::dictionary) {
      values = by_name(pickle, found->second);
      break;
    }
  }
  std::erase_if(values, [tensor_kind](const auto& entry) { return entry.second.kind != tensor_kind; });
  if (values.empty()) {
    refuse_torch(what, "expected a dictionary of tensors by name, got one without any");
  }
  static constexpr std::string_view parallel = "module.";
  if (std::ranges::all_of(values, [](const auto& entry) { return entry.first.starts_with(parallel); })) {
    NamedValues shorter;
    for (const auto& [name, value] : values) {
      shorter.emplace(name.substr(parallel.size()), value);
    }
    return shorter;
  }
  return values;
}

Pickle read_part(BytesView bytes, std::string_view what, PersistentIds ids = PersistentIds::storages) {
  try {
    return read_pickle(bytes.first(std::min<std::size_t>(bytes.size(), longest_pickle)), ids);
  } catch (const RefusedPickle& error) {
    refuse_torch(what, error.what());
  }
}

// The state dict's tensors, given its storages.
void add_tensors(TorchTensors& result, const Pickle& pickle, Budget& budget, std::string_view what,
                 const auto& storage_of) {
  for (const auto& [name, value] : state_dict(pickle, Kind::tensor, what)) {
    const PickledTensor& tensor = pickle.tensors[static_cast<std::size_t>(value.number)];
    const PickledStorage& described = pickle.storages[tensor.storage];
    StoredNumbers numbers = storage_of(described, name);
    if (described.view_count > 0) {
      const std::optional<StoredNumbers> part =
          part_of_storage(numbers, described.view_offset, described.view_count);
      if (!part) {
        refuse_torch(what, shown_tensor(name) + ": expected a part of its storage, got one outside of it");
      }
      numbers = *part;
    }
    result.tensors.push_back(view_of_tensor(name, tensor, numbers, budget, result.unpacked, what));
  }
}

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
    refuse_torch(what, "expected a ZIP archive that torch.save wrote, got one without data.pkl");
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
      refuse_torch(what, "expected little-endian numbers, got another byte order");
    }
  }
  const ZipEntry& pickled = entries.at(root + "data.pkl");
  if (pickled.size > longest_pickle) {
    refuse_torch(what, "expected a data.pkl of at most " + std::to_string(longest_pickle) + " bytes, got " +
                           std::to_string(pickled.size));
  }
  const Pickle pickle = read_part(unpacked(pickled), what);

  std::map<std::string, BytesView> read;  // storages, each once
  add_tensors(result, pickle, budget, what, [&](const PickledStorage& storage, const std::string& name) {
    const std::optional<std::uint64_t> expected = bytes_in(storage.count, storage.dtype);
    const auto known = read.find(storage.key);
    const auto entry = entries.find(root + "data/" + storage.key);
    if (entry == entries.end() || !expected || entry->second.size != *expected) {
      refuse_torch(what, shown_tensor(name) + ": expected a storage of " +
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

// A count of numbers, 8 bytes, and the numbers; advances `at`.
StoredNumbers next_storage(BytesView file, std::size_t& at, DType dtype, std::string_view what) {
  constexpr std::size_t count_length = 8;
  if (file.size() - at < count_length) {
    refuse_torch(what, "the file is cut off before its numbers");
  }
  const std::uint64_t count = little_64(file, at);
  at += count_length;
  const std::optional<std::uint64_t> length = bytes_in(count, dtype);
  if (!length || *length > file.size() - at) {
    refuse_torch(what, "the file is cut off: a storage of " + std::to_string(count) +
                           " numbers extends beyond its end");
  }
  const StoredNumbers numbers{dtype, file.subspan(at, static_cast<std::size_t>(*length))};
  at += static_cast<std::size_t>(*length);
  return numbers;
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
    refuse_torch(what, "expected version 1001 of PyTorch's stream, got another");
  }
  const Pickle system = next();
  if (system.value.kind == Kind::dictionary) {
    const NamedValues facts = by_name(system, system.value);
    const auto order = facts.find("little_endian");
    if (order != facts.end() && order->second.kind == Kind::boolean && order->second.number == 0) {
      refuse_torch(what, "expected little-endian numbers, got another byte order");
    }
  }
  const Pickle pickle = next();
  const Pickle keys = next();
  if (keys.value.kind != Kind::list) {
    refuse_torch(what, "expected a list of storages after the tensors, got another value");
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
      refuse_torch(what, "expected storages that tensors use, got one without a tensor");
    }
    stored.insert_or_assign(name, next_storage(file, at, dtype->second, what));
  }
  add_tensors(result, pickle, budget, what, [&](const PickledStorage& storage, const std::string& name) {
    const auto found = stored.find(storage.key);
    if (found == stored.end() || found->second.dtype != storage.dtype) {
      refuse_torch(what, shown_tensor(name) + ": expected a storage in the file, got none");
    }
    return found->second;
  });
  return result;
}

// A key of the tar container: a number, or its digits.
std::optional<std::int64_t> tar_key(const PickleValue& value) {
  if (value.kind == Kind::integer) {
    return value.number;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  return value.kind == Kind::text && error == std::errc() && end == value.text.data() + value.text.size()
             ? std::optional(number)
             : std::nullopt;
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
        refuse_torch(what_, shown_tensor(name) + ": expected a tensor of the archive, got none");
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
      refuse_torch(what_, "expected a tar archive that torch.save wrote, got one without '" + name + "'");
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
      refuse_torch(what_, "the tar archive is damaged: expected a count, got another value");
    }
    return pickle.value.number;
  }
  [[noreturn]] void damaged(const char* part) const {
    refuse_torch(what_, std::string("the tar archive is damaged in its part '") + part + "'");
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

bool is_stream(BytesView bytes) {
  return bytes.size() >= stream_start.size() &&
         std::ranges::equal(bytes.first(stream_start.size()), stream_start);
}

// The mark of POSIX's format, which Python's tarfile writes.
bool is_tar(BytesView bytes) {
  constexpr std::string_view mark = "ustar";
  constexpr std::size_t place = 257;
  return bytes.size() >= place + mark.size() && std::ranges::equal(bytes.subspan(place, mark.size()), mark);
}

}  // namespace

bool is_torch_file(BytesView bytes) {
  return is_zip(bytes) || is_stream(bytes) || is_tar(bytes);
}

TorchTensors parse_torch_file(BytesView file, std::string_view what) {
  if (is_zip(file)) {
    return parse_zip(file, what);
  }
  if (is_stream(file)) {
    return parse_stream(file, what);
  }
  if (is_tar(file)) {
    return TarContainer(file, what).parse();
  }
  refuse_torch(what, "expected a file that torch.save wrote, got another (by its first bytes)");
}

WeightsFile::WeightsFile(const std::filesystem::path& path) {
  base::RegularFile file(path, largest_weights);
  const auto size = static_cast<std::size_t>(file.size());
  data_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
  for (std::size_t filled = 0; filled < size;) {
    const std::size_t got = file.read(reinterpret_cast<char*>(data_.get()) + filled, size - filled);
    if (got == 0) {
      throw std::runtime_error("cannot read " + path.string() + ": it ended early");
    }
    filled += got;
  }
  const BytesView bytes(data_.get(), size);
  if (is_torch_file(bytes)) {
    torch_ = parse_torch_file(bytes, path.string());
  } else if (size > 8 && bytes[8] == '{') {
    safetensors_ = parse_safetensors(bytes, path.string());
  } else {
    throw std::runtime_error(path.string() +
                             ": expected a file of weights, safetensors or PyTorch's .pt or .pth, got " +
                             (size == 0 ? "an empty file" : "another (by its first bytes)"));
  }
  sha256_ = data::sha256(bytes);
}

}  // namespace pair::data
