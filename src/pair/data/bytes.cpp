#include "pair/data/bytes.h"

#include "pair/base/files.h"

namespace pair::data {

Bytes read_bytes(const std::filesystem::path& path) {
  base::RegularFile file(path, largest_file);
  Bytes bytes(static_cast<std::size_t>(file.size()));
  file.read_exactly(reinterpret_cast<char*>(bytes.data()), bytes.size());
  return bytes;
}

}  // namespace pair::data
