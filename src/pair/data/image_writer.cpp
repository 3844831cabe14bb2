#include "pair/data/image_writer.h"

#include <jpeglib.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace pair::data {
namespace {

void put_big(Bytes& bytes, std::uint32_t value) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

void put_chunk(Bytes& file, std::string_view type, const Bytes& content) {
  put_big(file, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = file.size();
  file.insert(file.end(), type.begin(), type.end());
  file.insert(file.end(), content.begin(), content.end());
  put_big(file,
          static_cast<std::uint32_t>(crc32(0, file.data() + begin, static_cast<uInt>(file.size() - begin))));
}

}  // namespace

Bytes png_bytes(const Image& image) {
  Bytes header;
  put_big(header, static_cast<std::uint32_t>(image.columns));
  put_big(header, static_cast<std::uint32_t>(image.rows));
  header.insert(header.end(), {8, 2, 0, 0, 0});  // 8 bits, RGB
  const auto width = static_cast<std::size_t>(image.columns * Image::channels);
  Bytes lines;
  for (std::int64_t row = 0; row < image.rows; ++row) {
    lines.push_back(0);  // no filter
    const auto begin =
        image.pixels.begin() + static_cast<std::ptrdiff_t>(row) * static_cast<std::ptrdiff_t>(width);
    lines.insert(lines.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  uLongf size = compressBound(lines.size());
  Bytes packed(size);
  if (compress2(packed.data(), &size, lines.data(), lines.size(), 6) != Z_OK) {
    throw std::runtime_error("zlib cannot compress an image");
  }
  packed.resize(size);
  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  put_chunk(file, "IHDR", header);
  put_chunk(file, "IDAT", packed);
  put_chunk(file, "IEND", {});
  return file;
}

Bytes jpeg_bytes(const Image& image) {
  // Errors end the program: there are none for an image in memory.
  jpeg_compress_struct library{};
  jpeg_error_mgr errors{};
  library.err = jpeg_std_error(&errors);
  jpeg_create_compress(&library);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's type
  jpeg_mem_dest(&library, &memory, &size);
  library.image_width = static_cast<JDIMENSION>(image.columns);
  library.image_height = static_cast<JDIMENSION>(image.rows);
  library.input_components = Image::channels;
  library.in_color_space = JCS_RGB;
  jpeg_set_defaults(&library);
  jpeg_set_quality(&library, 90, TRUE);
  jpeg_start_compress(&library, TRUE);
  const auto width = static_cast<std::size_t>(image.columns * Image::channels);
  while (library.next_scanline < library.image_height) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the C API does not change it
    JSAMPROW row = const_cast<JSAMPLE*>(image.pixels.data() + library.next_scanline * width);
    jpeg_write_scanlines(&library, &row, 1);
  }
  jpeg_finish_compress(&library);
  jpeg_destroy_compress(&library);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owned(memory, std::free);
  return {memory, memory + size};
}

}  // namespace pair::data
