#include "pair/data/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace pair::data {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 20U;
constexpr int gzip_only = 16 + MAX_WBITS;

// Unpacks one stream to the end of `out`; returns the number of bytes of `in` consumed.
std::size_t unpack_stream(BytesView in, std::string_view name, Bytes& out) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_only) != Z_OK) {
    throw std::runtime_error("zlib could not be started");
  }
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> ended(&stream, &inflateEnd);
  std::size_t given = 0;
  for (;;) {
    if (stream.avail_in == 0) {
      const std::size_t more = std::min(chunk, in.size() - given);
      if (more == 0) {
        throw std::runtime_error(std::string(name) + " is cut off: its gzip stream does not end within its " +
                                 std::to_string(in.size()) + " bytes");
      }
      stream.next_in = in.data() + given;
      stream.avail_in = static_cast<uInt>(more);
      given += more;
    }
    const std::size_t before = out.size();
    out.resize(before + chunk);
    stream.next_out = out.data() + before;
    stream.avail_out = static_cast<uInt>(chunk);
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (out.size() > largest_file) {
      throw std::runtime_error(std::string(name) + " unpacks to more than the limit of " +
                               std::to_string(largest_file) + " bytes");
    }
    if (status == Z_STREAM_END) {
      return given - stream.avail_in;
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
      throw std::runtime_error(std::string(name) + " is damaged: its gzip stream cannot be unpacked (" +
                               (stream.msg != nullptr ? stream.msg : "zlib gives no reason") + ")");
    }
  }
}

}  // namespace

bool is_gzip(BytesView bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

Bytes gunzip(BytesView bytes, std::string_view name) {
  if (!is_gzip(bytes)) {
    throw std::runtime_error(std::string(name) + " is not a gzip file: it does not start with 1f 8b");
  }
  Bytes out;
  while (!bytes.empty()) {
    if (!is_gzip(bytes)) {
      throw std::runtime_error(std::string(name) + " has " + std::to_string(bytes.size()) +
                               " bytes after the end of its gzip stream; expected none");
    }
    bytes = bytes.subspan(unpack_stream(bytes, name, out));
  }
  return out;
}

Bytes gunzipped(Bytes bytes, std::string_view name) {
  return is_gzip(bytes) ? gunzip(bytes, name) : std::move(bytes);
}

}  // namespace pair::data
