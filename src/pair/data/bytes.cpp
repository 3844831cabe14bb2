#include "pair/data/bytes.h"

#include <stdexcept>

#include "pair/base/files.h"

namespace pair::data {

Bytes read_bytes(const std::filesystem::path& path) {
  base::RegularFile file(path, largest_file);
  Bytes bytes(static_cast<std::size_t>(file.size()));
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const std::size_t got = file.read(reinterpret_cast<char*>(bytes.data()) + filled, bytes.size() - filled);
    if (got == 0) {
      throw std::runtime_error("cannot read " + path.string() + ": it ended early");
    }
    filled += got;
  }
  return bytes;
}

}  // namespace pair::data
