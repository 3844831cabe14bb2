#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pair/data/safetensors.h"
#include "pair/data/torch_file.h"

namespace pair::data {

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
