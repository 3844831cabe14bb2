#include "pair/data/bytes.h"

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "pair/data/reason.h"

namespace pair::data {

Bytes read_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw std::runtime_error("cannot read " + path.string() + ": " + error.message());
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw std::runtime_error("cannot read " + path.string() + ": it is not a regular file");
  }
  const std::uintmax_t size = std::filesystem::file_size(path);
  if (size > largest_file) {
    throw std::runtime_error(path.string() + " is " + std::to_string(size) + " bytes long; at most " +
                             std::to_string(largest_file) + " are accepted");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  Bytes bytes(static_cast<std::size_t>(size));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in || static_cast<std::size_t>(in.gcount()) != bytes.size()) {
    const std::string why = errno == 0 ? "it ended early" : reason(errno);
    throw std::runtime_error("cannot read " + path.string() + ": " + why);
  }
  return bytes;
}

}  // namespace pair::data
