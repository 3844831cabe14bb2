#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

namespace pair::data {

struct ZipEntry {
  std::string path;            // as in the archive: "archive/data.pkl"
  BytesView packed;            // points into the archive
  bool deflated = false;       // or stored as it is
  std::uint64_t size = 0;      // unpacked, in bytes
  std::uint32_t checksum = 0;  // CRC-32 of the unpacked bytes
};

// Whether the bytes start as a ZIP archive.
bool is_zip(BytesView bytes);

// The files of a ZIP archive, with or without the 64-bit extension, in the order of its directory. Folders
// are skipped. Nothing is unpacked. `name` is used in error messages. Throws std::runtime_error if the
// directory is missing or damaged, lists more than 1,000,000 files, or has a file that is encrypted,
// compressed by another method than deflate, or outside of the archive.
std::vector<ZipEntry> zip_entries(BytesView archive, std::string_view name);

// Throws std::runtime_error if a stored (not deflated) file does not match its checksum.
void check_stored(const ZipEntry& entry, std::string_view name);

// Unpacks a file to exactly `to.size()` bytes, which must be entry.size. Throws std::runtime_error if it
// unpacks to more or fewer bytes, is damaged, or does not match its checksum.
void unpack(const ZipEntry& entry, std::span<std::uint8_t> to, std::string_view name);

}  // namespace pair::data
