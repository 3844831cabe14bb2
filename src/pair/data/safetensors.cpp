#include "pair/data/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/tables.h"

namespace pair::data {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they are in memory");

constexpr std::string_view metadata_key = "__metadata__";
constexpr std::size_t length_bytes = 8;

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  std::size_t size;
};

// In the order of the official writer.
constexpr std::array dtype_infos{DTypeInfo{DType::i64, "I64", 8},   DTypeInfo{DType::f64, "F64", 8},
                                 DTypeInfo{DType::f32, "F32", 4},   DTypeInfo{DType::i32, "I32", 4},
                                 DTypeInfo{DType::bf16, "BF16", 2}, DTypeInfo{DType::f16, "F16", 2},
                                 DTypeInfo{DType::i16, "I16", 2},   DTypeInfo{DType::i8, "I8", 1},
                                 DTypeInfo{DType::u8, "U8", 1},     DTypeInfo{DType::boolean, "BOOL", 1}};

std::size_t place_of(DType dtype) {
  return static_cast<std::size_t>(std::ranges::find(dtype_infos, dtype, &DTypeInfo::dtype) -
                                  dtype_infos.begin());
}

// A name from a file as one short line for a message.
std::string shown_name(std::string_view name) {
  constexpr std::size_t longest = 120;
  std::string shown(name.substr(0, longest));
  while (name.size() > longest && !shown.empty() && (static_cast<unsigned char>(shown.back()) & 0x80U) != 0) {
    shown.pop_back();  // not in the middle of a character
  }
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return "'" + shown + (name.size() > longest ? "...'" : "'");
}

// The number of bytes of a tensor, or none if it does not fit in 64 bits. A size of 0 does not hide an
// overflow of the others.
std::optional<std::uint64_t> bytes_of_tensor(DType dtype, std::span<const std::int64_t> shape) {
  std::uint64_t product = size_of(dtype);
  bool empty = false;
  for (const std::int64_t size : shape) {
    empty = empty || size == 0;
    if (size < 0 || __builtin_mul_overflow(product, std::max<std::uint64_t>(size, 1), &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

// The header's entry for a tensor.
struct HeaderEntry {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> offsets;
  bool has_dtype = false;
  bool has_shape = false;
  bool has_offsets = false;
};

// Handles the header's JSON as it is parsed, without a tree in memory or a depth limit. Every function
// returns whether to continue; if not, `problem` has the reason.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<HeaderEntry> entries;
  Metadata metadata;
  std::string problem;

  bool start_object(std::size_t /*size*/) override {
    switch (place_) {
      case Place::before:
        place_ = Place::names;
        return true;
      case Place::name_given:
        if (name_ == metadata_key) {
          place_ = Place::metadata;
        } else {
          entries.emplace_back().name = name_;
          place_ = Place::fields;
        }
        return true;
      default:
        return unexpected("an object");
    }
  }
  bool end_object() override {
    if (place_ == Place::fields) {
      const HeaderEntry& entry = entries.back();
      const char* missing = !entry.has_dtype     ? "dtype"
                            : !entry.has_shape   ? "shape"
                            : !entry.has_offsets ? "data_offsets"
                                                 : nullptr;
      if (missing != nullptr) {
        return refuse(std::string("expected the fields dtype, shape and data_offsets; ") + missing +
                      " is missing");
      }
    }
    place_ = place_ == Place::names ? Place::after : Place::names;
    return true;
  }
  bool key(std::string& text) override {
    if (place_ == Place::names) {
      name_ = text;
      place_ = Place::name_given;
      return names_.insert(text).second || refuse("the name is used twice");
    }
    field_ = text;
    if (place_ == Place::metadata) {
      place_ = Place::metadata_key_given;
      return !metadata.contains(text) || refuse("the key " + shown_name(text) + " is used twice");
    }
    HeaderEntry& entry = entries.back();
    const bool known = text == "dtype" || text == "shape" || text == "data_offsets";
    const bool twice = (text == "dtype" && entry.has_dtype) || (text == "shape" && entry.has_shape) ||
                       (text == "data_offsets" && entry.has_offsets);
    place_ = Place::field_given;
    return known ? !twice || refuse("the field " + text + " is given twice")
                 : refuse("expected the fields dtype, shape and data_offsets, got " + shown_name(text));
  }
  bool string(std::string& text) override {
    if (place_ == Place::metadata_key_given) {
      metadata.emplace(field_, text);
      place_ = Place::metadata;
      return true;
    }
    if (place_ == Place::field_given && field_ == "dtype") {
      const auto* const info = std::ranges::find(dtype_infos, text, &DTypeInfo::name);
      if (info == dtype_infos.end()) {
        return refuse("expected one of the dtypes " +
                      base::joined(dtype_infos, ", ", [](const DTypeInfo& each) { return each.name; }) +
                      ", got " + shown_name(text));
      }
      entries.back().dtype = info->dtype;
      entries.back().has_dtype = true;
      place_ = Place::fields;
      return true;
    }
    return unexpected("a string");
  }
  bool start_array(std::size_t /*size*/) override {
    if (place_ != Place::field_given || field_ == "dtype") {
      return unexpected("an array");
    }
    (field_ == "shape" ? entries.back().has_shape : entries.back().has_offsets) = true;
    place_ = Place::numbers;
    return true;
  }
  bool end_array() override {
    if (field_ == "data_offsets" && entries.back().offsets.size() != 2) {
      return refuse("data_offsets: expected 2 numbers, got " + std::to_string(entries.back().offsets.size()));
    }
    place_ = Place::fields;
    return true;
  }
  bool number_unsigned(std::uint64_t value) override {
    if (place_ != Place::numbers) {
      return unexpected("a number");
    }
    if (field_ == "data_offsets") {
      entries.back().offsets.push_back(value);
    } else if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return refuse("shape: expected sizes below 2^63, got " + std::to_string(value));
    } else {
      entries.back().shape.push_back(static_cast<std::int64_t>(value));
    }
    return true;
  }
  bool number_integer(std::int64_t value) override { return unexpected(std::to_string(value).c_str()); }
  bool number_float(double /*value*/, const std::string& text) override {
    return unexpected(shown_name(text).c_str());
  }
  bool null() override { return unexpected("null"); }
  bool boolean(bool value) override { return unexpected(value ? "true" : "false"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    problem = "the header is not valid JSON at its byte " + std::to_string(position);
    return false;
  }

 private:
  enum class Place {
    before,
    names,
    name_given,
    metadata,
    metadata_key_given,
    fields,
    field_given,
    numbers,
    after
  };

  bool refuse(const std::string& sentence) {
    problem =
        (name_ == metadata_key ? std::string(metadata_key) : "tensor " + shown_name(name_)) + ": " + sentence;
    return false;
  }
  bool unexpected(const char* got) {
    switch (place_) {
      case Place::before:
        problem = std::string("expected a header that is a JSON object, got ") + got;
        return false;
      case Place::name_given:
        return refuse(std::string("expected an object, got ") + got);
      case Place::metadata_key_given:
        return refuse("expected a string under " + shown_name(field_) + ", got " + got);
      default:
        return refuse(field_ + ": expected " +
                      (field_ == "dtype" ? "a string" : "an array of integers that are not negative") +
                      ", got " + got);
    }
  }

  Place place_ = Place::before;
  std::string name_;
  std::string field_;
  std::set<std::string> names_;
};

[[noreturn]] void refuse_file(std::string_view what, const std::string& sentence) {
  throw std::runtime_error(std::string(what) + ": " + sentence);
}

// The header's length from the file's first bytes, after a plausibility check.
std::size_t header_length(BytesView start, std::uint64_t file_size, std::string_view what) {
  if (file_size < length_bytes || start.size() < length_bytes) {
    refuse_file(what, "expected a safetensors file, got " + std::to_string(file_size) +
                          " bytes, too few for the header's length");
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{start[i]} << (8 * i);
  }
  if (length > largest_safetensors_header) {
    refuse_file(what, "expected a header of at most " + std::to_string(largest_safetensors_header) +
                          " bytes, got " + std::to_string(length) + "; is it a safetensors file?");
  }
  if (length > file_size - length_bytes) {
    refuse_file(what, "the file ends before its header: expected " + std::to_string(length + length_bytes) +
                          " bytes, got " + std::to_string(file_size));
  }
  return static_cast<std::size_t>(length);
}

// The tensors that the header describes, within data_size bytes at data, which are not read here.
Safetensors parse_header(BytesView header, const std::uint8_t* data, std::uint64_t data_size,
                         std::string_view what) {
  // JSON may begin with blanks or a byte order mark; the format's header must not.
  if (header.empty() || header.front() != '{') {
    refuse_file(what, "expected a header that is a JSON object and begins with '{'");
  }
  // The JSON parser treats a zero byte as the end of its input.
  if (const auto zero = std::ranges::find(header, std::uint8_t{0}); zero != header.end()) {
    refuse_file(what,
                "the header is not valid JSON at its byte " + std::to_string(zero - header.begin() + 1));
  }
  HeaderReader reader;
  if (!nlohmann::json::sax_parse(header.begin(), header.end(), &reader)) {
    refuse_file(what, reader.problem.empty() ? "the header is not valid JSON" : reader.problem);
  }
  std::ranges::sort(reader.entries, {}, [](const HeaderEntry& entry) {
    return std::tuple(entry.offsets[0], entry.offsets[1], std::string_view(entry.name));
  });

  Safetensors parts;
  parts.metadata = std::move(reader.metadata);
  parts.tensors.reserve(reader.entries.size());
  std::uint64_t end_of_last = 0;
  for (HeaderEntry& entry : reader.entries) {
    const std::uint64_t begin = entry.offsets[0];
    const std::uint64_t end = entry.offsets[1];
    const auto refuse = [&](const std::string& sentence) {
      refuse_file(what, "tensor " + shown_name(entry.name) + ": " + sentence);
    };
    const auto shown_offsets = [&] {
      return "data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "]";
    };
    const auto shown_tensor = [&] {
      return std::string(name_of(entry.dtype)) + " " + shown_shape(entry.shape);
    };
    if (begin > end || end > data_size) {
      refuse("expected offsets in order and up to " + std::to_string(data_size) + ", got " + shown_offsets());
    }
    const std::optional<std::uint64_t> size = bytes_of_tensor(entry.dtype, entry.shape);
    if (!size) {
      refuse("the bytes of " + shown_tensor() + " cannot be counted in 64 bits");
    }
    if (*size != end - begin) {
      refuse("expected " + std::to_string(*size) + " bytes for " + shown_tensor() + ", got " +
             std::to_string(end - begin));
    }
    if (begin != end_of_last) {
      refuse(std::string(begin < end_of_last ? "it overlaps another tensor: "
                                             : "the bytes before it belong to no tensor: ") +
             "expected it to begin at " + std::to_string(end_of_last) + ", got " + shown_offsets());
    }
    end_of_last = end;
    parts.tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                             BytesView(data + begin, static_cast<std::size_t>(end - begin))});
  }
  if (end_of_last != data_size) {
    refuse_file(what, "the last " + std::to_string(data_size - end_of_last) + " bytes belong to no tensor");
  }
  return parts;
}

// The tensors in the order of their bytes, after validation.
std::vector<const TensorView*> in_file_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  std::set<std::string_view> names;
  for (const TensorView& tensor : tensors) {
    const std::string what = "tensor " + shown_name(tensor.name) + ": ";
    if (tensor.name == metadata_key) {
      throw std::invalid_argument(what + "the name is reserved");
    }
    if (!names.insert(tensor.name).second) {
      throw std::invalid_argument(what + "the name is used twice");
    }
    const std::optional<std::uint64_t> size = bytes_of_tensor(tensor.dtype, tensor.shape);
    if (!size || *size != tensor.bytes.size()) {
      throw std::invalid_argument(what + "expected " +
                                  (size ? std::to_string(*size) : "a possible count of") + " bytes for " +
                                  std::string(name_of(tensor.dtype)) + " " + shown_shape(tensor.shape) +
                                  ", got " + std::to_string(tensor.bytes.size()));
    }
    order.push_back(&tensor);
  }
  std::ranges::sort(order, {}, [](const TensorView* tensor) {
    return std::pair(place_of(tensor->dtype), std::string_view(tensor->name));
  });
  return order;
}

std::string quoted(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw std::invalid_argument("a name or text for a safetensors file: expected UTF-8");
  }
}

std::string header_of(std::span<const TensorView* const> order, const Metadata& metadata) {
  std::string json = "{";
  const auto separate = [&json] {
    if (json.back() != '{') {
      json += ',';
    }
  };
  if (!metadata.empty()) {
    json.append(quoted(std::string(metadata_key))).append(":{");
    for (const auto& [key, text] : metadata) {
      separate();
      json.append(quoted(key)).append(":").append(quoted(text));
    }
    json += '}';
  }
  std::uint64_t offset = 0;
  for (const TensorView* tensor : order) {
    separate();
    json.append(quoted(tensor->name)).append(R"(:{"dtype":")").append(name_of(tensor->dtype));
    json += R"(","shape":[)";
    for (std::size_t i = 0; i < tensor->shape.size(); ++i) {
      json.append(i == 0 ? "" : ",").append(std::to_string(tensor->shape[i]));
    }
    json.append(R"(],"data_offsets":[)").append(std::to_string(offset)).append(",");
    offset += tensor->bytes.size();
    json.append(std::to_string(offset)).append("]}");
  }
  json += "}";
  json.append((8 - json.size() % 8) % 8, ' ');
  if (json.size() > largest_safetensors_header) {
    throw std::invalid_argument("a safetensors header: expected at most " +
                                std::to_string(largest_safetensors_header) + " bytes, got " +
                                std::to_string(json.size()));
  }
  std::string header(length_bytes, '\0');
  for (std::size_t i = 0; i < length_bytes; ++i) {
    header[i] = static_cast<char>((std::uint64_t{json.size()} >> (8 * i)) & 0xffU);
  }
  return header + json;
}

}  // namespace

std::string shown_shape(std::span<const std::int64_t> shape) {
  constexpr std::size_t most = 8;
  const std::string text = base::joined(shape.first(std::min(shape.size(), most)), ", ",
                                        [](std::int64_t size) { return std::to_string(size); });
  return "[" + text + (shape.size() > most ? ", ...]" : "]");
}

std::string_view name_of(DType dtype) {
  return dtype_infos.at(place_of(dtype)).name;
}

std::size_t size_of(DType dtype) {
  return dtype_infos.at(place_of(dtype)).size;
}

const TensorView* Safetensors::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &TensorView::name);
  return found == tensors.end() ? nullptr : &*found;
}

Safetensors parse_safetensors(BytesView file, std::string_view what) {
  const std::size_t length = header_length(file, file.size(), what);
  const BytesView data = file.subspan(length_bytes + length);
  return parse_header(file.subspan(length_bytes, length), data.data(), data.size(), what);
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) {
  base::RegularFile file(path, largest_weights);
  const auto read = [&file](std::span<std::uint8_t> bytes) {
    file.read_exactly(reinterpret_cast<char*>(bytes.data()), bytes.size());
  };
  const std::uint64_t size = file.size();
  std::vector<std::uint8_t> header(static_cast<std::size_t>(std::min<std::uint64_t>(size, length_bytes)));
  read(header);
  header.resize(header_length(header, size, path.string()));
  read(header);
  const auto data_size = static_cast<std::size_t>(size - length_bytes - header.size());
  data_ = std::make_unique_for_overwrite<std::uint8_t[]>(data_size);
  parts_ = parse_header(header, data_.get(), data_size, path.string());
  read({data_.get(), data_size});
}

std::string safetensors_header(std::span<const TensorView> tensors, const Metadata& metadata) {
  return header_of(in_file_order(tensors), metadata);
}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  const std::string header = header_of(order, metadata);
  std::vector<std::string_view> parts{header};
  for (const TensorView* tensor : order) {
    parts.emplace_back(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  }
  base::replace_file(path, parts);
}

}  // namespace pair::data
