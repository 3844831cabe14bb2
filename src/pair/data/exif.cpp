#include <algorithm>
#include <string_view>
#include <utility>

#include "pair/data/image.h"

// The orientation in EXIF data, which is a TIFF structure: in a JPEG's APP1 segment, a PNG's eXIf chunk, a
// WebP's EXIF chunk, or the TIFF file itself. Damaged data counts as none, as in viewers.

namespace pair::data {
namespace {

std::uint32_t number_at(BytesView bytes, std::size_t at, std::size_t count, bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint32_t{bytes[at + i]} << (8 * (big_endian ? count - 1 - i : i));
  }
  return value;
}

bool has_text(BytesView bytes, std::size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() && std::ranges::equal(bytes.subspan(at, text.size()), text);
}

int orientation_in_tiff(BytesView tiff) {
  const bool big = has_text(tiff, 0, "MM");
  if (tiff.size() < 8 || (!big && !has_text(tiff, 0, "II")) || number_at(tiff, 2, 2, big) != 42) {
    return 1;
  }
  const std::size_t directory = number_at(tiff, 4, 4, big);
  if (directory > tiff.size() || tiff.size() - directory < 2) {
    return 1;
  }
  constexpr std::size_t entry_size = 12;
  const std::size_t entries = number_at(tiff, directory, 2, big);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + i * entry_size;
    if (at + entry_size > tiff.size()) {
      return 1;
    }
    constexpr std::uint32_t orientation_tag = 0x0112;
    constexpr std::uint32_t short_type = 3;
    if (number_at(tiff, at, 2, big) == orientation_tag) {
      const std::uint32_t value = number_at(tiff, at + 8, 2, big);
      return number_at(tiff, at + 2, 2, big) == short_type && value >= 1 && value <= 8
                 ? static_cast<int>(value)
                 : 1;
    }
  }
  return 1;
}

BytesView exif_in_jpeg(BytesView file) {
  constexpr std::string_view mark("Exif\0\0", 6);
  for (std::size_t at = 2; at + 4 <= file.size() && file[at] == 0xff;) {
    const std::uint8_t marker = file[at + 1];
    if (marker == 0xff) {  // padding
      ++at;
      continue;
    }
    const std::size_t length = number_at(file, at + 2, 2, true);
    if (marker == 0xda || length < 2 || length > file.size() - at - 2) {  // pixels
      return {};
    }
    if (marker == 0xe1 && has_text(file, at + 4, mark) && length >= 2 + mark.size()) {
      return file.subspan(at + 4 + mark.size(), length - 2 - mark.size());
    }
    at += 2 + length;
  }
  return {};
}

BytesView exif_in_png(BytesView file) {
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t length = number_at(file, at, 4, true);
    if (length > file.size() - at - 12 || has_text(file, at + 4, "IEND")) {
      return {};
    }
    if (has_text(file, at + 4, "eXIf")) {
      return file.subspan(at + 8, length);
    }
    at += 12 + length;
  }
  return {};
}

BytesView exif_in_webp(BytesView file) {
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::size_t length = number_at(file, at + 4, 4, false);
    if (length > file.size() - at - 8) {
      return {};
    }
    if (has_text(file, at, "EXIF")) {
      const BytesView found = file.subspan(at + 8, length);
      constexpr std::string_view mark("Exif\0\0", 6);  // some writers repeat JPEG's
      return has_text(found, 0, mark) ? found.subspan(mark.size()) : found;
    }
    at += 8 + length + length % 2;
  }
  return {};
}

}  // namespace

int exif_orientation(BytesView file) {
  if (file.size() >= 3 && file[0] == 0xff && file[1] == 0xd8) {
    return orientation_in_tiff(exif_in_jpeg(file));
  }
  if (has_text(file, 1, "PNG")) {
    return orientation_in_tiff(exif_in_png(file));
  }
  if (has_text(file, 0, "RIFF") && has_text(file, 8, "WEBP")) {
    return orientation_in_tiff(exif_in_webp(file));
  }
  return orientation_in_tiff(file);
}

Image upright(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) {
    return image;
  }
  // 5 to 8 swap rows and columns.
  const bool swaps = orientation >= 5;
  Image turned{swaps ? image.columns : image.rows, swaps ? image.rows : image.columns, {}};
  turned.pixels.resize(image.pixels.size());
  std::uint8_t* to = turned.pixels.data();
  for (std::int64_t y = 0; y < turned.rows; ++y) {
    for (std::int64_t x = 0; x < turned.columns; ++x, to += Image::channels) {
      std::int64_t row = swaps ? x : y;
      std::int64_t column = swaps ? y : x;
      // 2: left-right; 3: both; 4: top-bottom; 5: transposed; 6: turned right; 7: transverse; 8: turned left.
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) {
        row = image.rows - 1 - row;
      }
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) {
        column = image.columns - 1 - column;
      }
      std::copy_n(image.pixels.data() + (row * image.columns + column) * Image::channels, Image::channels,
                  to);
    }
  }
  return turned;
}

}  // namespace pair::data
