#include "pair/data/idx.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "pair/data/gzip.h"

namespace pair::data {
namespace {

constexpr std::uint32_t images_magic = 0x00000803;
constexpr std::uint32_t labels_magic = 0x00000801;
constexpr std::uint32_t largest_side = 4096;

std::uint32_t big_endian(BytesView bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24U | std::uint32_t{bytes[at + 1]} << 16U |
         std::uint32_t{bytes[at + 2]} << 8U | std::uint32_t{bytes[at + 3]};
}

std::string hexadecimal(std::uint32_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (unsigned shift = 32; shift > 0; shift -= 4) {
    text += digits[value >> (shift - 4) & 15U];
  }
  return text;
}

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw std::runtime_error(std::string(name) + " " + why);
}

template <std::size_t N>
std::array<std::uint32_t, N> header(BytesView bytes, std::string_view name, std::uint32_t magic,
                                    std::string_view content) {
  constexpr std::size_t length = 4 + 4 * N;
  if (bytes.size() < 4 || big_endian(bytes, 0) != magic) {
    const std::string found = bytes.size() < 4 ? "is " + std::to_string(bytes.size()) + " bytes long"
                                               : "starts with " + hexadecimal(big_endian(bytes, 0));
    refuse(name, found + "; expected an idx file of " + std::string(content) + ", which starts with " +
                     hexadecimal(magic));
  }
  if (bytes.size() < length) {
    refuse(name, "is cut off: its header takes " + std::to_string(length) + " bytes, the file has " +
                     std::to_string(bytes.size()));
  }
  std::array<std::uint32_t, N> dimensions{};
  for (std::size_t i = 0; i < N; ++i) {
    dimensions[i] = big_endian(bytes, 4 + 4 * i);
  }
  if (dimensions[0] == 0) {
    refuse(name, "has 0 " + std::string(content) + "; expected at least 1");
  }
  return dimensions;
}

void check_length(BytesView bytes, std::string_view name, std::uint64_t expected,
                  const std::string& content) {
  if (bytes.size() != expected) {
    refuse(name, std::string(bytes.size() < expected ? "is cut off" : "is too long") + ": " + content +
                     " take " + std::to_string(expected) + " bytes, the file has " +
                     std::to_string(bytes.size()));
  }
}

Bytes read_plain(const std::filesystem::path& path) {
  return gunzipped(read_bytes(path), path.string());
}

}  // namespace

bool is_idx(BytesView bytes) {
  return bytes.size() >= 4 && big_endian(bytes, 0) == images_magic;
}

Digits parse_idx_images(BytesView images, std::string_view images_name) {
  const auto [count, rows, columns] = header<3>(images, images_name, images_magic, "images");
  const std::string size = std::to_string(rows) + " x " + std::to_string(columns);
  if (rows == 0 || columns == 0 || rows > largest_side || columns > largest_side) {
    refuse(images_name, "has images of " + size + "; expected 1 x 1 to 4096 x 4096");
  }
  const std::uint64_t pixels = std::uint64_t{count} * rows * columns;
  check_length(images, images_name, 16 + pixels, std::to_string(count) + " images of " + size);
  images = images.subspan(16);
  return {.count = count,
          .rows = rows,
          .columns = columns,
          .pixels = {images.begin(), images.end()},
          .labels = {}};
}

Digits parse_idx(BytesView images, std::string_view images_name, BytesView labels,
                 std::string_view labels_name) {
  Digits digits = parse_idx_images(images, images_name);
  const auto [labelled] = header<1>(labels, labels_name, labels_magic, "labels");
  check_length(labels, labels_name, 8 + std::uint64_t{labelled}, std::to_string(labelled) + " labels");
  if (std::int64_t{labelled} != digits.count) {
    refuse(labels_name, "holds " + std::to_string(labelled) + " labels, but " + std::string(images_name) +
                            " holds " + std::to_string(digits.count) + " images");
  }
  labels = labels.subspan(8);
  const auto wrong = std::find_if(labels.begin(), labels.end(), [](std::uint8_t label) { return label > 9; });
  if (wrong != labels.end()) {
    refuse(labels_name, "has the label " + std::to_string(*wrong) + " at position " +
                            std::to_string(wrong - labels.begin()) + "; expected 0 to 9");
  }
  digits.labels.assign(labels.begin(), labels.end());
  return digits;
}

Digits read_idx(const std::filesystem::path& images, const std::filesystem::path& labels) {
  const Bytes image_bytes = read_plain(images);
  return parse_idx(image_bytes, images.string(), read_plain(labels), labels.string());
}

}  // namespace pair::data
