#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// TFRecord, the framing of TensorBoard's event files: each record is
//
//   uint64 length, uint32 masked CRC-32C of the length, the bytes, uint32 masked CRC-32C of the bytes
//
// with all numbers in little-endian order.

namespace pair::runs {

// CRC-32C (Castagnoli's polynomial, RFC 3720).
std::uint32_t crc32c(std::string_view bytes);

std::string tfrecord(std::string_view bytes);

// The complete records of a file: a crash leaves the last one incomplete.
std::vector<std::string_view> tfrecords(std::string_view file);

}  // namespace pair::runs
