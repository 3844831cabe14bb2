#include "pair/data/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"

// The format is PKWARE's APPNOTE.TXT; "section" refers to it.

namespace pair::data {
namespace {

constexpr std::size_t most_zip_entries = 1'000'000;
constexpr std::uint32_t saturated = 0xffffffff;  // the value is in the 64-bit extension

[[noreturn]] void refuse_zip(std::string_view name, const std::string& why) {
  throw std::runtime_error(std::string(name) + ": " + why);
}

std::string shown_path(const ZipEntry& entry) {
  std::string shown(1, '\'');
  shown += base::printable(entry.path.substr(0, 80));
  shown += '\'';
  return shown;
}

// A little-endian number; the caller has checked that the bytes are there.
std::uint64_t little(BytesView bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{bytes[at + i]} << (8 * i);
  }
  return value;
}

struct ZipDirectory {
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

// Section 4.3.16: the last record, of 22 bytes plus a comment of up to 65,535.
ZipDirectory find_directory(BytesView archive, std::string_view name) {
  constexpr std::size_t length = 22;
  constexpr std::size_t longest_comment = 65'535;
  std::optional<std::size_t> at;
  for (std::size_t back = length; back <= std::min(archive.size(), length + longest_comment); ++back) {
    const std::size_t place = archive.size() - back;
    if (little(archive, place, 4) == 0x06054b50 && little(archive, place + 20, 2) == back - length) {
      at = place;
      break;
    }
  }
  if (!at) {
    refuse_zip(name, "expected a complete ZIP archive, got one without a directory at its end");
  }
  ZipDirectory directory{little(archive, *at + 10, 2), little(archive, *at + 12, 4),
                         little(archive, *at + 16, 4)};
  // Section 4.3.15: the locator of the 64-bit record, directly before.
  constexpr std::size_t locator_length = 20;
  if (*at >= locator_length && little(archive, *at - locator_length, 4) == 0x07064b50) {
    constexpr std::size_t record_length = 56;
    const std::uint64_t record = little(archive, *at - locator_length + 8, 8);
    if (record > archive.size() || archive.size() - record < record_length ||
        little(archive, static_cast<std::size_t>(record), 4) != 0x06064b50) {
      refuse_zip(name, "the ZIP archive's 64-bit directory is damaged");
    }
    const auto start = static_cast<std::size_t>(record);
    directory = {little(archive, start + 32, 8), little(archive, start + 40, 8),
                 little(archive, start + 48, 8)};
  }
  if (directory.offset > archive.size() || directory.size > archive.size() - directory.offset) {
    refuse_zip(name, "the ZIP archive's directory extends beyond its end");
  }
  if (directory.entries > most_zip_entries) {
    refuse_zip(name, "expected a ZIP archive of at most " + std::to_string(most_zip_entries) +
                         " files, got " + std::to_string(directory.entries));
  }
  return directory;
}

// Section 4.5.3: replaces the saturated values, in this order.
void read_extension(BytesView extra, std::span<std::uint64_t* const> saturated_values) {
  while (extra.size() >= 4) {
    const auto id = little(extra, 0, 2);
    const auto length = static_cast<std::size_t>(little(extra, 2, 2));
    if (length > extra.size() - 4) {
      return;
    }
    if (id == 1) {
      std::size_t at = 4;
      for (std::uint64_t* const value : saturated_values) {
        if (*value == saturated && at + 8 <= 4 + length) {
          *value = little(extra, at, 8);
          at += 8;
        }
      }
      return;
    }
    extra = extra.subspan(4 + length);
  }
}

void check_sum(const ZipEntry& entry, BytesView bytes, std::string_view name) {
  if (crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()) != entry.checksum) {
    refuse_zip(name, "the ZIP archive is damaged: '" + base::printable(entry.path.substr(0, 80)) +
                         "' does not match its checksum");
  }
}

}  // namespace

bool is_zip(BytesView bytes) {
  return bytes.size() >= 4 && bytes[0] == 'P' && bytes[1] == 'K' && bytes[2] == 3 && bytes[3] == 4;
}

std::vector<ZipEntry> zip_entries(BytesView archive, std::string_view name) {
  const ZipDirectory directory = find_directory(archive, name);
  BytesView rest =
      archive.subspan(static_cast<std::size_t>(directory.offset), static_cast<std::size_t>(directory.size));
  std::vector<ZipEntry> entries;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    // Section 4.3.12.
    constexpr std::size_t header_length = 46;
    if (rest.size() < header_length || little(rest, 0, 4) != 0x02014b50) {
      refuse_zip(name, "the ZIP archive's directory is damaged at its file number " + std::to_string(i));
    }
    const auto name_length = static_cast<std::size_t>(little(rest, 28, 2));
    const auto extra_length = static_cast<std::size_t>(little(rest, 30, 2));
    const auto comment_length = static_cast<std::size_t>(little(rest, 32, 2));
    if (name_length + extra_length + comment_length > rest.size() - header_length) {
      refuse_zip(name, "the ZIP archive's directory is damaged at its file number " + std::to_string(i));
    }
    const auto flags = little(rest, 8, 2);
    const auto method = little(rest, 10, 2);
    std::uint64_t packed = little(rest, 20, 4);
    ZipEntry entry;
    entry.size = little(rest, 24, 4);
    entry.checksum = static_cast<std::uint32_t>(little(rest, 16, 4));
    std::uint64_t local = little(rest, 42, 4);
    const BytesView path = rest.subspan(header_length, name_length);
    entry.path.assign(path.begin(), path.end());
    read_extension(rest.subspan(header_length + name_length, extra_length),
                   std::vector<std::uint64_t*>{&entry.size, &packed, &local});
    rest = rest.subspan(header_length + name_length + extra_length + comment_length);
    if (entry.path.ends_with('/')) {
      continue;
    }
    const std::string shown = shown_path(entry);
    if ((flags & 1U) != 0 || (method != 0 && method != 8)) {
      refuse_zip(name, "expected files that are stored or deflated in the ZIP archive, got " + shown +
                           ((flags & 1U) != 0 ? ", which is encrypted"
                                              : ", which is compressed by method " + std::to_string(method)));
    }
    entry.deflated = method == 8;
    // Section 4.3.7: the local header repeats names and extra fields of its own lengths.
    constexpr std::size_t local_length = 30;
    if (local > archive.size() || archive.size() - local < local_length ||
        little(archive, static_cast<std::size_t>(local), 4) != 0x04034b50) {
      refuse_zip(name, "the ZIP archive is damaged: " + shown + " has no header");
    }
    const auto start = static_cast<std::size_t>(local);
    const std::size_t data =
        start + local_length + little(archive, start + 26, 2) + little(archive, start + 28, 2);
    if (data > archive.size() || packed > archive.size() - data) {
      refuse_zip(name, "the ZIP archive is cut off: " + shown + " extends beyond its end");
    }
    entry.packed = archive.subspan(data, static_cast<std::size_t>(packed));
    if (!entry.deflated && entry.size != packed) {
      refuse_zip(name, "the ZIP archive is damaged: " + shown + " is stored, but has two sizes");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

void unpack(const ZipEntry& entry, std::span<std::uint8_t> to, std::string_view name) {
  const std::string shown = shown_path(entry);
  if (entry.deflated) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
      throw std::runtime_error("zlib could not be started");
    }
    const std::unique_ptr<z_stream, decltype(&inflateEnd)> ended(&stream, &inflateEnd);
    // zlib counts in 32 bits.
    constexpr std::size_t piece = std::size_t{1} << 30U;
    std::size_t given = 0;
    std::size_t written = 0;
    std::uint8_t excess = 0;  // a byte beyond the expected size ends up here
    int status = Z_OK;
    bool full = false;
    while (status == Z_OK) {
      if (stream.avail_in == 0) {
        const std::size_t more = std::min(piece, entry.packed.size() - given);
        stream.next_in = entry.packed.data() + given;
        stream.avail_in = static_cast<uInt>(more);
        given += more;
      }
      if (stream.avail_out == 0) {
        if (full) {
          refuse_zip(name, "the ZIP archive is damaged: " + shown + " unpacks to more than its size of " +
                               std::to_string(to.size()) + " bytes");
        }
        const std::size_t room = std::min(piece, to.size() - written);
        full = room == 0;
        stream.next_out = full ? &excess : to.data() + written;
        stream.avail_out = full ? 1 : static_cast<uInt>(room);
        written += room;
      }
      status = inflate(&stream, Z_NO_FLUSH);
    }
    if (status == Z_STREAM_END && full && stream.avail_out == 0) {
      refuse_zip(name, "the ZIP archive is damaged: " + shown + " unpacks to more than its size of " +
                           std::to_string(to.size()) + " bytes");
    }
    if (status != Z_STREAM_END || stream.total_out != to.size()) {
      refuse_zip(name, "the ZIP archive is damaged: " + shown + " does not unpack to its size of " +
                           std::to_string(to.size()) + " bytes");
    }
  } else if (entry.packed.size() != to.size()) {
    refuse_zip(name, "the ZIP archive is damaged: " + shown + " does not have its size of " +
                         std::to_string(to.size()) + " bytes");
  } else {
    std::ranges::copy(entry.packed, to.begin());
  }
  check_sum(entry, to, name);
}

void check_stored(const ZipEntry& entry, std::string_view name) {
  check_sum(entry, entry.packed, name);
}

}  // namespace pair::data
