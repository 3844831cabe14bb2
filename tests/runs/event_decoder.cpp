#include "tests/runs/event_decoder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace pair::runs::testing {
namespace {

std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t remainder = 0xffffffffU;
  for (const char byte : bytes) {
    remainder ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder & 1U) != 0 ? (remainder >> 1U) ^ 0x82f63b78U : remainder >> 1U;
    }
  }
  remainder = ~remainder;
  return (remainder >> 15U | remainder << 17U) + 0xa282ead8U;
}

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] bool at_end() const { return place_ == bytes_.size(); }

  std::string take(std::size_t count) {
    if (bytes_.size() - place_ < count) {
      throw std::runtime_error("ends early");
    }
    place_ += count;
    return bytes_.substr(place_ - count, count);
  }

  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) {
        return value;
      }
    }
  }

  std::string framed() {
    const std::string length = take(8);
    if (number<std::uint32_t>() != checksum(length)) {
      throw std::runtime_error("the length's checksum is wrong");
    }
    std::string bytes = take(Reader(length).number<std::uint64_t>());
    if (number<std::uint32_t>() != checksum(bytes)) {
      throw std::runtime_error("the checksum is wrong");
    }
    return bytes;
  }

 private:
  std::string bytes_;
  std::size_t place_ = 0;
};

[[noreturn]] void unexpected(std::uint64_t key) {
  throw std::runtime_error("unexpected key " + std::to_string(key));
}

void decode_value(Reader value, std::map<std::string, float>& scalars) {
  std::string tag;
  while (!value.at_end()) {
    switch (const std::uint64_t key = value.varint()) {
      case 0x0a:
        tag = value.take(value.varint());
        break;
      case 0x15:
        if (!scalars.emplace(tag, value.number<float>()).second) {
          throw std::runtime_error(tag + " is there twice");
        }
        break;
      default:
        unexpected(key);
    }
  }
}

void decode_summary(Reader summary, std::map<std::string, float>& scalars) {
  while (!summary.at_end()) {
    const std::uint64_t key = summary.varint();
    if (key != 0x0a) {
      unexpected(key);
    }
    decode_value(Reader(summary.take(summary.varint())), scalars);
  }
}

DecodedEvent decode_event(Reader event) {
  DecodedEvent decoded;
  while (!event.at_end()) {
    switch (const std::uint64_t key = event.varint()) {
      case 0x09:
        decoded.wall_time = event.number<double>();
        break;
      case 0x10:
        decoded.step = static_cast<std::int64_t>(event.varint());
        break;
      case 0x1a:
        decoded.file_version = event.take(event.varint());
        break;
      case 0x2a:
        decode_summary(Reader(event.take(event.varint())), decoded.scalars);
        break;
      default:
        unexpected(key);
    }
  }
  return decoded;
}

}  // namespace

std::vector<DecodedEvent> decode_events(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Reader reader(std::string(std::istreambuf_iterator<char>(stream), {}));
  std::vector<DecodedEvent> events;
  while (!reader.at_end()) {
    events.push_back(decode_event(Reader(reader.framed())));
  }
  return events;
}

std::vector<std::filesystem::path> event_files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pair::runs::testing
