#include "tests/support/pictures.h"

// jpeglib.h needs <cstdio> before it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include <zlib.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace pair::tests {
namespace {

void put_big_endian(data::Bytes& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<std::uint8_t>((value >> shift) & 0xffU));
  }
}

void append(data::Bytes& bytes, const data::Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

data::Image picture(std::int64_t rows, std::int64_t columns, unsigned seed) {
  data::Image image{rows, columns, {}};
  const std::int64_t shift = seed;
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) {
      image.pixels.push_back(static_cast<std::uint8_t>((x * 7 + y * 3 + shift * 41) % 256));
      image.pixels.push_back(static_cast<std::uint8_t>((y * 11 + shift * 17) % 256));
      image.pixels.push_back(static_cast<std::uint8_t>((x * y + 128 + shift * 5) % 256));
    }
  }
  return image;
}

data::Bytes png_chunk(std::string_view type, const data::Bytes& content) {
  data::Bytes checked(type.begin(), type.end());
  append(checked, content);
  data::Bytes chunk;
  put_big_endian(chunk, static_cast<std::uint32_t>(content.size()));
  append(chunk, checked);
  put_big_endian(chunk,
                 static_cast<std::uint32_t>(::crc32(0, checked.data(), static_cast<uInt>(checked.size()))));
  return chunk;
}

data::Bytes png(const PngParts& parts) {
  data::Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  data::Bytes header;
  put_big_endian(header, parts.columns);
  put_big_endian(header, parts.rows);
  append(header,
         {static_cast<std::uint8_t>(parts.bit_depth), static_cast<std::uint8_t>(parts.color_type), 0, 0, 0});
  append(file, png_chunk("IHDR", header));
  append(file, parts.extra);
  data::Bytes lines;
  for (const data::Bytes& line : parts.lines) {
    lines.push_back(0);  // no filter
    append(lines, line);
  }
  data::Bytes packed(::compressBound(static_cast<uLong>(lines.size())));
  auto size = static_cast<uLongf>(packed.size());
  if (::compress(packed.data(), &size, lines.data(), static_cast<uLong>(lines.size())) != Z_OK) {
    throw std::runtime_error("zlib failed");
  }
  packed.resize(size);
  append(file, png_chunk("IDAT", packed));
  append(file, png_chunk("IEND", {}));
  return file;
}

data::Bytes png(const data::Image& image) {
  PngParts parts;
  parts.columns = static_cast<std::uint32_t>(image.columns);
  parts.rows = static_cast<std::uint32_t>(image.rows);
  const std::int64_t stride = image.columns * data::Image::channels;
  for (std::int64_t y = 0; y < image.rows; ++y) {
    parts.lines.emplace_back(image.pixels.begin() + y * stride, image.pixels.begin() + (y + 1) * stride);
  }
  return png(parts);
}

data::Bytes jpeg(const data::Image& image, const JpegOptions& options) {
  jpeg_compress_struct library{};
  jpeg_error_mgr errors{};
  library.err = jpeg_std_error(&errors);
  jpeg_create_compress(&library);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&library, &memory, &size);
  library.image_width = static_cast<JDIMENSION>(image.columns);
  library.image_height = static_cast<JDIMENSION>(image.rows);
  library.input_components = options.channels;
  library.in_color_space = options.channels == 1 ? JCS_GRAYSCALE : options.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&library);
  jpeg_set_quality(&library, options.quality, TRUE);
  if (options.progressive) {
    jpeg_simple_progression(&library);
  }
  jpeg_start_compress(&library, TRUE);
  for (std::int64_t y = 0; y < image.rows; ++y) {
    data::Bytes line;
    for (std::int64_t x = 0; x < image.columns; ++x) {
      for (int channel = 0; channel < options.channels; ++channel) {
        line.push_back(channel < 3 ? image.at(y, x, channel) : 30);
      }
    }
    JSAMPROW rows[1] = {line.data()};
    jpeg_write_scanlines(&library, rows, 1);
  }
  jpeg_finish_compress(&library);
  jpeg_destroy_compress(&library);
  // The library takes it from malloc.
  const std::unique_ptr<unsigned char, decltype(&std::free)> owner(memory, &std::free);
  return {memory, memory + size};
}

}  // namespace pair::tests
