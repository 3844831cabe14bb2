#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

// Tensors by name in one file, in Hugging Face's safetensors format:
//
//   8 bytes    N, the header's length, little-endian
//   N bytes    JSON: {"__metadata__": {"key": "text"},
//                     "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}
//   the rest   the tensors' numbers, row-major and little-endian; offsets count from its first byte
//
// The file holds no code, so reading one from an untrusted source is safe. Everything in the header is
// checked before it is used: the reader never accesses memory outside of the given bytes.

namespace pair::data {

enum class DType { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

// The name in the format: "F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL".
std::string_view name_of(DType dtype);
// Bytes per number: 1, 2, 4 or 8.
std::size_t size_of(DType dtype);

// For messages: "[3, 224, 224]"; of more than eight sizes, the first eight.
std::string shown_shape(std::span<const std::int64_t> shape);

// A tensor that refers to numbers stored elsewhere.
struct TensorView {
  std::string name;  // UTF-8, not "__metadata__", unique within a file
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // empty for a scalar; a size of 0 makes an empty tensor
  BytesView bytes;                  // product of shape times size_of(dtype). Not necessarily aligned: copy.
};

// Key-value pairs besides the tensors, for example {"format", "pt"}, which Python's readers expect.
using Metadata = std::map<std::string, std::string>;

// The tensors and metadata of a file in memory; the views point into the parsed bytes.
struct Safetensors {
  std::vector<TensorView> tensors;  // in the order of their bytes
  Metadata metadata;

  // The tensor of that name, or null.
  [[nodiscard]] const TensorView* find(std::string_view name) const;
};

// The maximum size of a header, in bytes, for reading and writing. The official reader has the same limit.
inline constexpr std::size_t largest_safetensors_header = 100'000'000;

// Parses a whole file. Throws std::runtime_error with a sentence that begins with `what` (a file's name) and
// names the tensor if
//   - the file ends before its header, or the header is larger than largest_safetensors_header;
//   - the header is not a JSON object of the form above, has a duplicate name or an unknown dtype;
//   - a tensor's offsets do not match its shape and dtype;
//   - tensors overlap, bytes between them belong to none, or the last one does not end with the file.
Safetensors parse_safetensors(BytesView file, std::string_view what);

// The maximum size of a file of weights, in bytes.
inline constexpr std::uint64_t largest_weights = std::uint64_t{16} << 30;

// A file read into memory, and its tensors.
class SafetensorsFile {
 public:
  // Throws std::runtime_error if the file is missing, unreadable, not a regular file or larger than
  // largest_weights, and for everything that parse_safetensors rejects. The header is checked before the rest
  // is read.
  explicit SafetensorsFile(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<TensorView>& tensors() const { return parts_.tensors; }
  [[nodiscard]] const Metadata& metadata() const { return parts_.metadata; }
  [[nodiscard]] const TensorView* find(std::string_view name) const { return parts_.find(name); }

 private:
  std::unique_ptr<std::uint8_t[]> data_;
  Safetensors parts_;
};

// Writes a file identical to the official writer's: tensors of larger dtypes first, then by name; the header
// padded with blanks to a multiple of 8, so that all numbers are aligned. (Metadata is in alphabetical order;
// the official writer's order varies.) An existing file is replaced atomically.
//
// Throws std::invalid_argument for a name that is used twice, is "__metadata__" or is not UTF-8, for a
// negative size and for bytes that do not match the shape; std::runtime_error if the file cannot be written.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata = {});

// The header of that file, preceded by its length: everything except the tensors' bytes.
std::string safetensors_header(std::span<const TensorView> tensors, const Metadata& metadata = {});

}  // namespace pair::data
