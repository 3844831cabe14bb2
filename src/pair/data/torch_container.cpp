#include "pair/data/torch_container.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "pair/base/names.h"

namespace pair::data::torch_container {
namespace {

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

}  // namespace

void refuse(std::string_view what, const std::string& why) {
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

Bytes Budget::bytes(std::uint64_t count) {
  if (count > left_) {
    refuse(what_, "expected a file that unpacks to at most " + std::to_string(most_) +
                      " bytes (100 times its size plus 16 MiB), got one that unpacks to more");
  }
  left_ -= count;
  return Bytes(static_cast<std::size_t>(count));
}

std::optional<std::uint64_t> bytes_in(std::uint64_t count, DType dtype) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, std::uint64_t{size_of(dtype)}, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

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

TensorView view_of_tensor(const std::string& name, const PickledTensor& tensor, const StoredNumbers& storage,
                          Budget& budget, std::deque<Bytes>& unpacked, std::string_view what) {
  const auto outside = [&] {
    refuse(what, shown_tensor(name) + ": expected numbers within its storage of " +
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

StoredNumbers next_storage(BytesView file, std::size_t& at, DType dtype, std::string_view what) {
  constexpr std::size_t count_length = 8;
  if (file.size() - at < count_length) {
    refuse(what, "the file is cut off before its numbers");
  }
  const std::uint64_t count = little_64(file, at);
  at += count_length;
  const std::optional<std::uint64_t> length = bytes_in(count, dtype);
  if (!length || *length > file.size() - at) {
    refuse(what,
           "the file is cut off: a storage of " + std::to_string(count) + " numbers extends beyond its end");
  }
  const StoredNumbers numbers{dtype, file.subspan(at, static_cast<std::size_t>(*length))};
  at += static_cast<std::size_t>(*length);
  return numbers;
}

NamedValues by_name(const Pickle& pickle, const PickleValue& dictionary) {
  NamedValues values;
  const std::vector<PickleValue>& items = pickle.items(dictionary);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == PickleValue::Kind::text) {
      values.insert_or_assign(std::string(items[i].text), items[i + 1]);
    }
  }
  return values;
}

NamedValues state_dict(const Pickle& pickle, PickleValue::Kind tensor_kind, std::string_view what) {
  if (pickle.value.kind != PickleValue::Kind::dictionary) {
    refuse(what,
           "expected a dictionary of tensors, got another value; in Python, "
           "torch.save(model.state_dict(), FILE) writes one");
  }
  NamedValues values = by_name(pickle, pickle.value);
  for (const char* const key : {"state_dict", "model_state_dict", "model"}) {
    const auto found = values.find(key);
    if (found != values.end() && found->second.kind == PickleValue::Kind::dictionary) {
      values = by_name(pickle, found->second);
      break;
    }
  }
  std::erase_if(values, [tensor_kind](const auto& entry) { return entry.second.kind != tensor_kind; });
  if (values.empty()) {
    refuse(what, "expected a dictionary of tensors by name, got one without any");
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

Pickle read_part(BytesView bytes, std::string_view what, PersistentIds ids) {
  try {
    return read_pickle(bytes.first(std::min<std::size_t>(bytes.size(), longest_pickle)), ids);
  } catch (const RefusedPickle& error) {
    refuse(what, error.what());
  }
}

void add_tensors(
    TorchTensors& result, const Pickle& pickle, Budget& budget, std::string_view what,
    const std::function<StoredNumbers(const PickledStorage&, const std::string& name)>& storage_of) {
  for (const auto& [name, value] : state_dict(pickle, PickleValue::Kind::tensor, what)) {
    const PickledTensor& tensor = pickle.tensors[static_cast<std::size_t>(value.number)];
    const PickledStorage& described = pickle.storages[tensor.storage];
    StoredNumbers numbers = storage_of(described, name);
    if (described.view_count > 0) {
      const std::optional<StoredNumbers> part =
          part_of_storage(numbers, described.view_offset, described.view_count);
      if (!part) {
        refuse(what, shown_tensor(name) + ": expected a part of its storage, got one outside of it");
      }
      numbers = *part;
    }
    result.tensors.push_back(view_of_tensor(name, tensor, numbers, budget, result.unpacked, what));
  }
}

}  // namespace pair::data::torch_container
