#include "pair/data/weights_file.h"

#include <cstddef>
#include <stdexcept>

#include "pair/base/files.h"
#include "pair/data/sha256.h"

namespace pair::data {

WeightsFile::WeightsFile(const std::filesystem::path& path) {
  base::RegularFile file(path, largest_weights);
  const auto size = static_cast<std::size_t>(file.size());
  data_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
  file.read_exactly(reinterpret_cast<char*>(data_.get()), size);
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
