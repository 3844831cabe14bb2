#pragma once

#include <torch/serialize.h>
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pair/train/host_numbers.h"

// Helpers for checkpoints, in addition to torch's archives.

namespace pair::train {

inline void write(torch::serialize::OutputArchive& archive, const std::string& key,
                  const std::vector<torch::Tensor>& tensors) {
  archive.write(key + "/count", c10::IValue(static_cast<std::int64_t>(tensors.size())));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    // Cloned: for a view, the archive would store the whole base tensor.
    archive.write(key + "/" + std::to_string(i), tensors[i].detach().clone());
  }
}

inline void write(torch::serialize::OutputArchive& archive, const std::string& key,
                  const std::vector<double>& numbers) {
  archive.write(key, torch::tensor(c10::ArrayRef<double>(numbers), torch::kDouble));
}

inline c10::IValue read_value(torch::serialize::InputArchive& archive, const std::string& key) {
  c10::IValue value;
  archive.read(key, value);
  return value;
}

inline std::vector<torch::Tensor> read_tensors(torch::serialize::InputArchive& archive,
                                               const std::string& key) {
  std::vector<torch::Tensor> tensors(static_cast<std::size_t>(read_value(archive, key + "/count").toInt()));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    archive.read(key + "/" + std::to_string(i), tensors[i]);
  }
  return tensors;
}

inline std::vector<double> read_numbers(torch::serialize::InputArchive& archive, const std::string& key) {
  torch::Tensor tensor;
  archive.read(key, tensor);
  return to_doubles(tensor);
}

}  // namespace pair::train
