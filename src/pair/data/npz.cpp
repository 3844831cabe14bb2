#include "pair/data/npz.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "pair/data/zip.h"

// The format of .npy files is NumPy's NEP 1: a magic string, a version, the length of a header, the header
// (the repr of a Python dict), the numbers.

static_assert(std::endian::native == std::endian::little, "arrays are read as they are in memory");

namespace pair::data {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

// The text after 'key': in the header.
std::string_view header_value(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::optional<std::vector<std::int64_t>> shape_in(std::string_view text) {
  if (!text.starts_with('(') || text.find(')') == std::string_view::npos) {
    return std::nullopt;
  }
  text = text.substr(1, text.find(')') - 1);
  std::vector<std::int64_t> shape;
  while (!text.empty()) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0 || size > (std::int64_t{1} << 40)) {
      return std::nullopt;
    }
    shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  return shape;
}

template <class Number>
void copy_numbers(BytesView from, std::vector<float>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Number number{};
    std::memcpy(&number, from.data() + i * sizeof number, sizeof number);
    to[i] = static_cast<float>(number);
  }
}

NumpyArray read_npy(BytesView file, const std::string& what) {
  const auto refuse = [&](const std::string& sentence) { throw std::runtime_error(what + ": " + sentence); };
  constexpr std::size_t fixed = 10;  // magic, version, length of the header
  if (file.size() < fixed || std::memcmp(file.data(), npy_magic.data(), npy_magic.size()) != 0) {
    refuse("expected an array of NumPy, got other bytes");
  }
  const bool wide = file[6] >= 2;  // versions 2 and 3 have four bytes of length
  std::size_t length = file[8] + 256U * file[9];
  if (wide && file.size() >= fixed + 2) {
    length += 65536U * file[10] + 16777216U * file[11];
  }
  const std::size_t begin = wide ? fixed + 2 : fixed;
  if (begin + length > file.size()) {
    refuse("expected a header of " + std::to_string(length) + " bytes, got a shorter file");
  }
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + begin, length);
  const std::string_view type = header_value(header, "descr");
  const bool is_float = type.starts_with("'<f4'");
  const bool is_double = type.starts_with("'<f8'");
  if (!is_float && !is_double) {
    refuse("expected 32-bit or 64-bit floating-point numbers, got " + std::string(type.substr(0, 6)));
  }
  if (!header_value(header, "fortran_order").starts_with("False")) {
    refuse("expected an array in C order, got Fortran order");
  }
  const auto shape = shape_in(header_value(header, "shape"));
  if (!shape) {
    refuse("expected a shape in the header, got none");
  }
  std::size_t count = 1;
  for (const std::int64_t size : *shape) {
    count = std::min(count * static_cast<std::size_t>(size), largest_file);
  }
  const BytesView numbers = file.subspan(begin + length);
  if (numbers.size() != count * (is_float ? 4 : 8)) {
    refuse("expected as many numbers as the shape says, got " + std::to_string(numbers.size()) + " bytes");
  }
  NumpyArray array{*shape, std::vector<float>(count)};
  is_float ? copy_numbers<float>(numbers, array.values) : copy_numbers<double>(numbers, array.values);
  return array;
}

void put(Bytes& bytes, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

void put(Bytes& bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}

// Without the header and checksum of zlib.
Bytes deflated(BytesView bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot deflate");
  }
  Bytes packed(deflateBound(&stream, bytes.size()));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the C API does not change it
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) {
    throw std::runtime_error("zlib cannot deflate");
  }
  return packed;
}

}  // namespace

NumpyArray read_npz(BytesView archive, std::string_view member, std::string_view name) {
  const std::string file = std::string(member) + ".npy";
  for (const ZipEntry& entry : zip_entries(archive, name)) {
    if (entry.path == file) {
      if (entry.size > largest_file) {
        throw std::runtime_error(std::string(name) +
                                 ": expected an array of at most 256 MiB, got a larger one");
      }
      Bytes bytes(entry.size);
      unpack(entry, bytes, name);
      return read_npy(bytes, std::string(name));
    }
  }
  throw std::runtime_error(std::string(name) + ": expected an array '" + std::string(member) + "', got none");
}

Bytes npz_bytes(std::string_view member, const NumpyArray& array) {
  std::string shape;
  for (const std::int64_t size : array.shape) {
    shape += std::to_string(size) + ", ";
  }
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
      (array.shape.size() == 1 ? shape.substr(0, shape.size() - 1)
                               : shape.substr(0, shape.size() - std::min<std::size_t>(2, shape.size()))) +
      "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  Bytes npy;
  put(npy, npy_magic);
  put(npy, 1, 1);
  put(npy, 0, 1);
  put(npy, header.size(), 2);
  put(npy, header);
  const std::size_t at = npy.size();
  npy.resize(at + array.values.size() * sizeof(float));
  std::memcpy(npy.data() + at, array.values.data(), array.values.size() * sizeof(float));

  const Bytes packed = deflated(npy);
  const auto checksum = static_cast<std::uint32_t>(crc32(0, npy.data(), static_cast<uInt>(npy.size())));
  const std::string file = std::string(member) + ".npy";
  // Version, flags, method, time, date, checksum, sizes, lengths: common to both headers.
  const auto put_common = [&](Bytes& bytes) {
    put(bytes, 20, 2);
    put(bytes, 0, 2);
    put(bytes, 8, 2);
    put(bytes, 0, 2);
    put(bytes, 33, 2);
    put(bytes, checksum, 4);
    put(bytes, packed.size(), 4);
    put(bytes, npy.size(), 4);
    put(bytes, file.size(), 2);
    put(bytes, 0, 2);
  };
  Bytes zip;
  put(zip, 0x04034b50U, 4);
  put_common(zip);
  put(zip, file);
  zip.insert(zip.end(), packed.begin(), packed.end());
  const std::size_t directory = zip.size();
  put(zip, 0x02014b50U, 4);
  put(zip, 20, 2);
  put_common(zip);
  put(zip, 0, 2);  // comment
  put(zip, 0, 2);  // disk
  put(zip, 0, 2);  // attributes
  put(zip, 0, 4);
  put(zip, 0, 4);  // place of the entry
  put(zip, file);
  const std::size_t end = zip.size();
  put(zip, 0x06054b50U, 4);
  put(zip, 0, 4);
  put(zip, 1, 2);
  put(zip, 1, 2);
  put(zip, end - directory, 4);
  put(zip, directory, 4);
  put(zip, 0, 2);
  return zip;
}

}  // namespace pair::data
