#include "pair/plot/image.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pair/base/base64.h"

namespace pair::plot {
namespace {

constexpr std::size_t colors = 255;

void put_number(std::string& bytes, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((number >> shift) & 0xffU);
  }
}

// Length, type, content, and the checksum of type and content.
void put_chunk(std::string& png, std::string_view type, std::string_view content) {
  put_number(png, content.size());
  std::string body(type);
  body += content;
  png += body;
  put_number(png, crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_BEST_COMPRESSION) != Z_OK) {
    throw std::runtime_error("a heat map could not be compressed");
  }
  result.resize(size);
  return result;
}

}  // namespace

std::string encode_png(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                       ColorScale scale, Theme theme) {
  std::string png = "\x89PNG\r\n\x1a\n";
  std::string header;
  put_number(header, width);
  put_number(header, height);
  header += {8, 3, 0, 0, 0};  // 8 bits per pixel, palette, the default methods, not interlaced
  put_chunk(png, "IHDR", header);

  std::string palette(3, '\0'), opacities(1, '\0');
  for (std::size_t i = 0; i < colors; ++i) {
    const ScaleColor entry = scale_color(scale, static_cast<double>(i) / (colors - 1), theme);
    for (const std::uint8_t channel : {entry.color.red, entry.color.green, entry.color.blue}) {
      palette += static_cast<char>(channel);
    }
    opacities += static_cast<char>(std::lround(255 * entry.opacity));
  }
  put_chunk(png, "PLTE", palette);
  put_chunk(png, "tRNS", opacities);

  std::string rows;
  for (std::size_t row = 0; row < height; ++row) {
    rows += '\0';  // unfiltered
    for (const std::uint8_t pixel : pixels.subspan(row * width, width)) {
      rows += static_cast<char>(pixel);
    }
  }
  put_chunk(png, "IDAT", deflated(rows));
  put_chunk(png, "IEND", "");
  return png;
}

std::uint8_t scale_pixel(double t) {
  return static_cast<std::uint8_t>(1 + std::lround(std::clamp(t, 0.0, 1.0) * (colors - 1)));
}

std::string data_uri(std::string_view png) {
  return "data:image/png;base64," +
         base::base64({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
}

}  // namespace pair::plot
