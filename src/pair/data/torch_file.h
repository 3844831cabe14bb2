#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"
#include "pair/data/safetensors.h"

// Weights in PyTorch's state dicts (.pt, .pth). Nothing in a file is executed (pickle.h), so files from
// untrusted sources are safe to read.

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

}  // namespace pair::data
