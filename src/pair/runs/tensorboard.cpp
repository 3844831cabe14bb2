#include "pair/runs/tensorboard.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "pair/base/reason.h"
#include "pair/runs/file.h"
#include "pair/runs/tfrecord.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
using nlohmann::json;

constexpr std::string_view file_prefix = "events.out.tfevents.";

// The messages of TensorBoard's format, as far as scalars need them:
//
//   Event    { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; }
//   Summary  { repeated Value value = 1; }
//   Value    { string tag = 1; float simple_value = 2; }
enum Wire : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

constexpr std::uint32_t key(std::uint32_t field, Wire wire) {
  return field << 3U | wire;
}

constexpr std::uint32_t event_wall_time = key(1, fixed64);
constexpr std::uint32_t event_step = key(2, varint);
constexpr std::uint32_t event_file_version = key(3, bytes);
constexpr std::uint32_t event_summary = key(5, bytes);
constexpr std::uint32_t summary_value = key(1, bytes);
constexpr std::uint32_t value_tag = key(1, bytes);
constexpr std::uint32_t value_simple_value = key(2, fixed32);

template <class Function>
std::string encoded(const Function& write) {
  std::string text;
  {
    StringOutputStream stream(&text);
    CodedOutputStream out(&stream);
    write(out);
  }
  return text;
}

void write_bytes(CodedOutputStream& out, std::uint32_t field_key, const std::string& text) {
  out.WriteTag(field_key);
  out.WriteVarint64(text.size());
  out.WriteString(text);
}

std::string event(double wall_time, std::int64_t step, std::uint32_t what, const std::string& content) {
  return encoded([&](CodedOutputStream& out) {
    out.WriteTag(event_wall_time);
    out.WriteLittleEndian64(std::bit_cast<std::uint64_t>(wall_time));
    out.WriteTag(event_step);
    out.WriteVarint64(static_cast<std::uint64_t>(step));
    write_bytes(out, what, content);
  });
}

// None if the record is not an event, or has no summary.
std::optional<std::int64_t> step_of(std::string_view record) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(record.data()), static_cast<int>(record.size()));
  std::int64_t step = 0;
  bool summary = false;
  while (const std::uint32_t tag = in.ReadTag()) {
    std::uint64_t number = 0;
    std::uint32_t size = 0;
    bool whole = true;
    switch (tag & 7U) {
      case varint:
        whole = in.ReadVarint64(&number);
        break;
      case fixed64:
        whole = in.ReadLittleEndian64(&number);
        break;
      case bytes:
        whole = in.ReadVarint32(&size) && in.Skip(static_cast<int>(size));
        break;
      case fixed32:
        whole = in.ReadLittleEndian32(&size);
        break;
      default:
        whole = false;
    }
    if (!whole) {
      return std::nullopt;
    }
    step = tag == event_step ? static_cast<std::int64_t>(number) : step;
    summary = summary || tag == event_summary;
  }
  return summary ? std::optional(step) : std::nullopt;
}

class SummaryWriter {
 public:
  void add(const std::string& tag, const json& value) {
    if (!value.is_number() && !value.is_null()) {
      return;
    }
    const double number = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    write_value(tag, static_cast<float>(number));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void write_value(const std::string& tag, float number) {
    const std::string value = encoded([&](CodedOutputStream& out) {
      write_bytes(out, value_tag, tag);
      out.WriteTag(value_simple_value);
      out.WriteLittleEndian32(std::bit_cast<std::uint32_t>(number));
    });
    text_ += encoded([&](CodedOutputStream& out) { write_bytes(out, summary_value, value); });
  }

  std::string text_;
};

// "env0_in_acc" becomes "accuracy/env0_in": TensorBoard groups charts by the part before the slash.
std::string tag_of(const std::string& key) {
  constexpr std::string_view accuracy = "_acc";
  constexpr std::string_view error = "_mse";
  const auto without = [&key](std::string_view end) { return key.substr(0, key.size() - end.size()); };
  return key.ends_with(accuracy) ? "accuracy/" + without(accuracy)
         : key.ends_with(error)  ? "mse/" + without(error)
                                 : key;
}

std::string summary_of(const json& record) {
  SummaryWriter summary;
  for (const auto& [key, value] : record.items()) {
    if (key == "step" || key == "args" || key == "hparams") {
      continue;
    }
    if (value.is_object()) {
      for (const auto& [name, number] : value.items()) {
        summary.add(key + "/" + name, number);
      }
    } else {
      summary.add(tag_of(key), value);
    }
  }
  return summary.text();
}

[[noreturn]] void fail(const char* verb, const fs::path& path, const std::string& why) {
  throw std::runtime_error(std::string("cannot ") + verb + " " + path.string() + ": " + why);
}

}  // namespace

bool has_tensorboard() {
  return true;
}

EventFile::EventFile(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder_, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(file_prefix)) {
      continue;
    }
    std::int64_t seconds = 0;
    std::from_chars(name.data() + file_prefix.size(), name.data() + name.size(), seconds);
    newest_ = std::max(newest_, seconds);
    const std::string text = read_file(entry->path(), base::largest_records);
    for (const std::string_view record : tfrecords(text)) {
      if (const std::optional<std::int64_t> step = step_of(record)) {
        steps_.insert(*step);
      }
    }
  }
  if (error) {
    fail("read", folder_, error.message());
  }
}

void EventFile::record(const nlohmann::json& record, double wall_time) {
  const auto step = record.at("step").get<std::int64_t>();
  if (!steps_.insert(step).second) {
    return;
  }
  if (!file_.is_open()) {
    open(wall_time);
  }
  write(event(wall_time, step, event_summary, summary_of(record)));
}

void EventFile::record(const nlohmann::json& record) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  this->record(record, now.count());
}

void EventFile::open(double wall_time) {
  // TensorBoard reads a folder's files in the order of their names and never goes back.
  const std::int64_t seconds = std::max(static_cast<std::int64_t>(wall_time), newest_ + 1);
  path_ = folder_ / (std::string(file_prefix) + std::to_string(seconds) + ".pair");
  errno = 0;
  file_.open(path_, std::ios::binary);
  if (!file_) {
    fail("write", path_, base::reason(errno));
  }
  write(event(wall_time, 0, event_file_version, "brain.Event:2"));
}

void EventFile::write(const std::string& event) {
  errno = 0;
  file_ << tfrecord(event) << std::flush;
  if (!file_) {
    fail("write", path_, base::reason(errno));
  }
}

}  // namespace pair::runs
