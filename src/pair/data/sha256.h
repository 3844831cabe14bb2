#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "pair/data/bytes.h"

namespace pair::data {

// The SHA-256 digest as 64 lower-case hexadecimal digits, as sha256sum prints it.
std::string sha256(BytesView bytes);
std::string sha256(std::string_view text);

// The same for a regular file of at most `limit` bytes (default: any size), which is read in pieces. Throws
// base::FileError if it is larger or cannot be read.
std::string sha256_of_file(const std::filesystem::path& path,
                           std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());

// Whether the text has the form of such a digest.
bool is_sha256(std::string_view text);
// The same, or empty: for options whose digest may be missing.
bool is_sha256_or_empty(std::string_view text);

}  // namespace pair::data
