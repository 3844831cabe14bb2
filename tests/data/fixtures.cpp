#include "tests/data/fixtures.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>

#include "pair/data/sha256.h"

namespace pair::data::testing {

namespace fs = std::filesystem;

Variable::Variable(const char* name, const char* value) : name_(name) {
  if (const char* before = ::getenv(name)) {
    before_ = before;
  }
  set(value);
}

Variable::~Variable() {
  set(before_ ? before_->c_str() : nullptr);
}

void Variable::set(const char* value) const {
  if (value != nullptr) {
    ::setenv(name_, value, 1);
  } else {
    ::unsetenv(name_);
  }
}

Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

Bytes joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Bytes without_last(Bytes bytes, std::size_t count) {
  bytes.resize(bytes.size() - count);
  return bytes;
}

void write(const fs::path& path, const Bytes& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

void write_program(const fs::path& path, std::string_view script) {
  write(path, bytes_of(script));
  fs::permissions(path, fs::perms::owner_all);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Bytes gzip(const Bytes& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib could not be started");
  }
  Bytes out(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) {
    throw std::runtime_error("zlib could not compress");
  }
  return out;
}

Bytes tar_header(const std::string& path, std::size_t size, char type) {
  Bytes header(512);
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  const auto octal = [](std::size_t value, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%0*zo", digits, value);
    return std::string(text.data());
  };
  put(0, path);
  put(124, octal(size, 11));
  put(148, "        ");
  header[156] = static_cast<std::uint8_t>(type);
  put(257, std::string("ustar\00000", 8));
  const std::size_t sum = std::accumulate(header.begin(), header.end(), std::size_t{0});
  put(148, octal(sum, 6) + '\0');
  return header;
}

Bytes tar(const std::vector<std::pair<std::string, Bytes>>& files) {
  Bytes archive;
  for (const auto& [path, content] : files) {
    archive = joined(joined(std::move(archive), tar_header(path, content.size())), content);
    archive.resize((archive.size() + 511) / 512 * 512);
  }
  archive.resize(archive.size() + 1024);
  return archive;
}

Bytes idx(std::uint32_t magic, const std::vector<std::uint32_t>& dimensions, const Bytes& values) {
  Bytes bytes;
  const auto put = [&](std::uint32_t value) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      bytes.push_back(static_cast<std::uint8_t>(value >> shift & 255U));
    }
  };
  put(magic);
  std::for_each(dimensions.begin(), dimensions.end(), put);
  return joined(std::move(bytes), values);
}

Bytes tiny_images() {
  return idx(0x803, {2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

Bytes tiny_labels() {
  return idx(0x801, {2}, {7, 2});
}

const Download& tiny_download() {
  static const Download tiny{.name = "tiny",
                             .summary = "two digits",
                             .npm_package = "tiny-data@1.0.0",
                             .files = {{"tiny-images", tiny_images().size(), sha256(tiny_images())},
                                       {"tiny-labels", tiny_labels().size(), sha256(tiny_labels())}}};
  return tiny;
}

}  // namespace pair::data::testing
