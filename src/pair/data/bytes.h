#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace pair::data {

using Bytes = std::vector<std::uint8_t>;
using BytesView = std::span<const std::uint8_t>;

// The maximum size of a file that is read or unpacked, in bytes: several times MNIST's 55 MB, so that a
// broken or hostile archive cannot fill the memory.
inline constexpr std::size_t largest_file = std::size_t{256} << 20U;

// A whole file. Throws std::runtime_error with a sentence if it is missing, unreadable, not a regular file or
// larger than largest_file.
Bytes read_bytes(const std::filesystem::path& path);

}  // namespace pair::data
