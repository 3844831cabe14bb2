#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pair/data/bytes.h"
#include "pair/data/pickle.h"
#include "pair/data/torch_file.h"

// The three containers of PyTorch's weights (torch_file.h), which are those of torch/serialization.py: one
// source file each. This header declares what they have in common: storages, the state dict among pickled
// values, and the tensors' numbers row by row.

namespace pair::data::torch_container {

bool is_stream(BytesView bytes);
bool is_tar(BytesView bytes);

// As parse_torch_file, each for its container.
TorchTensors parse_zip(BytesView file, std::string_view what);
TorchTensors parse_stream(BytesView file, std::string_view what);
TorchTensors parse_tar(BytesView file, std::string_view what);

// Pickles hold names and sizes; those of the largest models are below a megabyte.
inline constexpr std::uint64_t longest_pickle = std::uint64_t{64} << 20;

// Throws the error of parse_torch_file.
[[noreturn]] void refuse(std::string_view what, const std::string& why);
// For messages: "tensor 'conv1.weight'".
std::string shown_tensor(std::string_view name);

// The 8 bytes from `at`, which must be there, as a little-endian number.
std::uint64_t little_64(BytesView bytes, std::size_t at);

// The number of bytes that a file may unpack to.
class Budget {
 public:
  Budget(std::size_t file_size, std::string_view what)
      : most_(std::uint64_t{100} * file_size + (std::uint64_t{16} << 20)), left_(most_), what_(what) {}

  // Takes `count` bytes off the budget and returns room for them. Throws the error of parse_torch_file if
  // fewer are left.
  Bytes bytes(std::uint64_t count);

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
std::optional<std::uint64_t> bytes_in(std::uint64_t count, DType dtype);

// A part of a storage; none if it is outside.
std::optional<StoredNumbers> part_of_storage(const StoredNumbers& whole, std::uint64_t offset,
                                             std::uint64_t count);

// A count of numbers, 8 bytes, and the numbers; advances `at`.
StoredNumbers next_storage(BytesView file, std::size_t& at, DType dtype, std::string_view what);

// The tensor's numbers row by row: a view of the storage, or a copy, which is added to `unpacked`.
TensorView view_of_tensor(const std::string& name, const PickledTensor& tensor, const StoredNumbers& storage,
                          Budget& budget, std::deque<Bytes>& unpacked, std::string_view what);

using NamedValues = std::map<std::string, PickleValue>;

// The values of a dictionary whose keys are texts.
NamedValues by_name(const Pickle& pickle, const PickleValue& dictionary);

// The state dict of a file's value, only its tensors.
NamedValues state_dict(const Pickle& pickle, PickleValue::Kind tensor_kind, std::string_view what);

// The pickle at the start of the bytes, of which at most longest_pickle are read. Throws the error of
// parse_torch_file.
Pickle read_part(BytesView bytes, std::string_view what, PersistentIds ids = PersistentIds::storages);

// Adds the state dict's tensors, given its storages. storage_of: the numbers of a storage that the tensor of
// that name uses.
void add_tensors(
    TorchTensors& result, const Pickle& pickle, Budget& budget, std::string_view what,
    const std::function<StoredNumbers(const PickledStorage&, const std::string& name)>& storage_of);

}  // namespace pair::data::torch_container
