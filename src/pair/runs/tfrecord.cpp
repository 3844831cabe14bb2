#include "pair/runs/tfrecord.h"

#include <array>
#include <optional>

namespace pair::runs {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  constexpr std::uint32_t reversed_polynomial = 0x82f63b78U;
  std::array<std::uint32_t, 256> entries{};
  for (std::uint32_t byte = 0; byte < entries.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? reversed_polynomial : 0U);
    }
    entries[byte] = remainder;
  }
  return entries;
}();

// The format masks its checksums, since a checksum over bytes that contain their own checksum is weak.
std::uint32_t masked(std::uint32_t checksum) {
  return ((checksum >> 15U) | (checksum << 17U)) + 0xa282ead8U;
}

template <class Unsigned>
std::string little_endian(Unsigned value) {
  std::string bytes(sizeof value, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  }
  return bytes;
}

template <class Unsigned>
Unsigned from_little_endian(std::string_view bytes) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= static_cast<Unsigned>(static_cast<Unsigned>(static_cast<unsigned char>(bytes[i])) << (8 * i));
  }
  return value;
}

// Removes `count` bytes and the following checksum from the front; none if they do not match.
std::optional<std::string_view> take_checked(std::string_view& file, std::uint64_t count) {
  constexpr std::size_t checksum_size = sizeof(std::uint32_t);
  if (file.size() < checksum_size || file.size() - checksum_size < count) {
    return std::nullopt;
  }
  const std::string_view bytes = file.substr(0, count);
  file.remove_prefix(count);
  const auto checksum = from_little_endian<std::uint32_t>(file);
  file.remove_prefix(checksum_size);
  return checksum == masked(crc32c(bytes)) ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t remainder = ~0U;
  for (const char byte : bytes) {
    remainder = (remainder >> 8U) ^ crc_table[(remainder ^ static_cast<unsigned char>(byte)) & 0xffU];
  }
  return ~remainder;
}

std::string tfrecord(std::string_view bytes) {
  const std::string length = little_endian(static_cast<std::uint64_t>(bytes.size()));
  return length + little_endian(masked(crc32c(length))) + std::string(bytes) +
         little_endian(masked(crc32c(bytes)));
}

std::vector<std::string_view> tfrecords(std::string_view file) {
  std::vector<std::string_view> records;
  while (const std::optional<std::string_view> length = take_checked(file, sizeof(std::uint64_t))) {
    const std::optional<std::string_view> bytes =
        take_checked(file, from_little_endian<std::uint64_t>(*length));
    if (!bytes) {
      break;
    }
    records.push_back(*bytes);
  }
  return records;
}

}  // namespace pair::runs
