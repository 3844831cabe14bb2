#include "pair/data/tar.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace pair::data {
namespace {

// A header is one block; its fields are at POSIX's positions (pax, "ustar Interchange Format").
constexpr std::size_t block = 512;

bool is_zero(BytesView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

std::string text(BytesView field) {
  const auto end = std::find(field.begin(), field.end(), std::uint8_t{0});
  return {field.begin(), end};
}

std::optional<std::size_t> octal(BytesView field) {
  std::size_t value = 0;
  bool any = false;
  for (const std::uint8_t c : field) {
    if (c >= '0' && c <= '7') {
      value = value * 8 + (c - '0');
      any = true;
    } else if (c == ' ' && !any) {
      continue;
    } else if (c == ' ' || c == 0) {
      break;
    } else {
      return std::nullopt;
    }
  }
  return any ? std::optional(value) : std::nullopt;
}

// The sum of the header's bytes, with its own checksum field counted as blanks.
std::size_t checksum(BytesView header) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < block; ++i) {
    sum += i >= 148 && i < 156 ? std::size_t{' '} : header[i];
  }
  return sum;
}

}  // namespace

std::vector<TarFile> tar_files(BytesView archive, std::string_view name) {
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(std::string(name) + why); };
  std::vector<TarFile> files;
  std::size_t at = 0;
  for (;;) {
    if (archive.size() - at < block) {
      refuse(" is cut off: its tar archive has no end mark within its " + std::to_string(archive.size()) +
             " bytes");
    }
    const BytesView header = archive.subspan(at, block);
    if (is_zero(header)) {
      if (!is_zero(archive.subspan(at))) {
        refuse(" has bytes after its tar archive's end mark at byte " + std::to_string(at) +
               "; expected only zeros");
      }
      return files;
    }
    if (octal(header.subspan(148, 8)) != checksum(header)) {
      refuse(" is not a tar archive, or is damaged: the header at byte " + std::to_string(at) +
             " does not match its checksum");
    }
    const std::optional<std::size_t> size = octal(header.subspan(124, 12));
    if (!size) {
      refuse(" is a damaged tar archive: the header at byte " + std::to_string(at) + " has no size");
    }
    at += block;
    std::string path = text(header.subspan(0, 100));
    if (*size > archive.size() - at) {
      refuse(" is cut off: its file " + path + " of " + std::to_string(*size) +
             " bytes extends beyond the archive's end");
    }
    const std::uint8_t type = header[156];
    if (type == '0' || type == 0) {
      const bool ustar = text(header.subspan(257, 5)) == "ustar" && header[262] == 0;
      if (const std::string prefix = ustar ? text(header.subspan(345, 155)) : std::string();
          !prefix.empty()) {
        path.insert(0, prefix + "/");
      }
      files.push_back({std::move(path), archive.subspan(at, *size)});
    }
    const std::size_t padded = (*size + block - 1) / block * block;
    at += std::min(padded, archive.size() - at);
  }
}

}  // namespace pair::data
