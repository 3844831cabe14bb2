#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"
#include "pair/data/safetensors.h"

// Reads the part of Python's pickle format that PyTorch's state dicts use.
//
// A pickle is a program that may call any function. This reader calls none: it knows the opcodes that build
// plain values (numbers, texts, tuples, lists, dictionaries) and the few names by which PyTorch describes
// tensors, and it refuses all others. Time and memory are proportional to the length of the pickle.

namespace pair::data {

// A pickle that is damaged, or asks for more than plain values and tensors. what() is the reason, without the
// file's name.
class RefusedPickle : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A flat array of numbers outside of the pickle.
struct PickledStorage {
  DType dtype = DType::f32;
  std::string key;          // its name in the container
  std::uint64_t count = 0;  // numbers
  // A part of another storage, as early versions of PyTorch wrote it: its own name, and its first number
  // there. Otherwise view_count is 0.
  std::uint64_t view_offset = 0;
  std::uint64_t view_count = 0;
};

struct PickledTensor {
  std::size_t storage = 0;  // index into Pickle::storages
  std::int64_t offset = 0;  // of its first number
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

struct PickleValue {
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    real,
    text,
    tuple,       // items
    list,        // items
    dictionary,  // items: key, value, key, value, ...
    name,        // one of the known names, such as collections.OrderedDict
    storage,     // index into Pickle::storages
    tensor,      // index into Pickle::tensors
    external     // index into Pickle::externals
  };
  Kind kind = Kind::none;
  std::int64_t number = 0;  // boolean, integer; index for the kinds that have one
  double real = 0.0;
  std::string_view text = {};  // points into the pickle
};

struct Pickle {
  PickleValue value;
  std::size_t length = 0;  // bytes of the pickle; a stream may have others behind it
  std::vector<PickledStorage> storages;
  std::vector<PickledTensor> tensors;
  // With PersistentIds::opaque: what the pickle refers to outside of it.
  std::vector<PickleValue> externals;

  // The items of a tuple, list or dictionary.
  [[nodiscard]] const std::vector<PickleValue>& items(const PickleValue& container) const {
    return containers.at(static_cast<std::size_t>(container.number));
  }
  // By index, so that a container that contains itself is harmless.
  std::deque<std::vector<PickleValue>> containers;
};

// The meaning of references to things outside of the pickle.
enum class PersistentIds {
  storages,  // ('storage', type, key, location, count[, view]), as torch.save writes them
  opaque     // anything; for the tar files of the first versions
};

// Reads one pickle at the start of the bytes. Throws RefusedPickle.
Pickle read_pickle(BytesView bytes, PersistentIds ids = PersistentIds::storages);

// The type of numbers that a class of storages holds ("torch.FloatStorage"), if the value is such a class.
bool storage_dtype(const PickleValue& value, DType& dtype);

}  // namespace pair::data
