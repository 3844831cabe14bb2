#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"
#include "pair/data/safetensors.h"

// Weights as files: PyTorch's state dicts (.pt, .pth) and safetensors. Nothing in a file is executed
// (pickle.h), so files from untrusted sources are safe to read.

namespace pair::data {

// The tensors of a state dict that torch.save wrote. The containers are
//   - the ZIP archive of PyTorch 1.6 and later (NAME/data.pkl, NAME/data/0, ...), with stored or deflated
//     files;
//   - the stream of earlier versions, and of _use_new_zipfile_serialization=False: pickles, then the numbers;
//   - the tar archive of the first versions (pickle, storages, tensors).
// The file's value is a dictionary of tensors, or a checkpoint that has one as "state_dict",
// "model_state_dict" or "model"; other entries are ignored. The names of a model that was trained in
// parallel begin with "module.", which is dropped if all names do.
struct TorchTensors {
  std::vector<TensorView> tensors;  // by name; the bytes point into the file or into `unpacked`
  std::string_view container;       // "ZIP", "stream" or "tar"
  std::deque<Bytes> unpacked;       // deflated numbers, and tensors that were not stored row by row
};

// Whether the bytes start as such a file.
bool is_torch_file(BytesView bytes);

// Parses a whole file. Throws std::runtime_error with a sentence that begins with `what` (a file's name) if
//   - the container is damaged, or its numbers are big-endian;
//   - its pickle refers to anything other than tensors and plain values, such as a whole module or code;
//   - the file has no dictionary of tensors;
//   - a tensor refers to numbers that are not there;
//   - what it unpacks to exceeds 100 times the file's size plus 16 MiB: a ZIP bomb.
TorchTensors parse_torch_file(BytesView file, std::string_view what);

// The maximum size of a file of weights, in bytes.
inline constexpr std::uint64_t largest_weights = std::uint64_t{16} << 30;

// A file of weights of either kind, which its first bytes decide, read into memory.
class WeightsFile {
 public:
  // Throws std::runtime_error if the file is missing, unreadable, not a regular file, larger than
  // largest_weights or of another kind, and for everything that the parsers refuse.
  explicit WeightsFile(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<TensorView>& tensors() const {
    return torch_.tensors.empty() ? safetensors_.tensors : torch_.tensors;
  }
  // The SHA-256 of the bytes that were read, as sha256sum prints it.
  [[nodiscard]] const std::string& sha256() const { return sha256_; }

 private:
  std::unique_ptr<std::uint8_t[]> data_;
  Safetensors safetensors_;
  TorchTensors torch_;
  std::string sha256_;
};

}  // namespace pair::data
