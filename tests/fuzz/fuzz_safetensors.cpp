#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pair/data/safetensors.h"
#include "tests/fuzz/require.h"

// For any bytes, the parser refuses with a short sentence or returns consecutive tensors inside of them; the
// writer's header and the same parser reproduce what it accepts.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pair::fuzz::require;
  namespace pd = pair::data;
  const pd::BytesView file(data, size);
  pd::Safetensors parts;
  try {
    parts = pd::parse_safetensors(file, "input");
  } catch (const std::runtime_error& error) {
    const std::string_view sentence = error.what();
    require(sentence.starts_with("input: ") && sentence.size() < 1000, "a sentence is short");
    require(sentence.find('\n') == std::string_view::npos, "a sentence is one line");
    return 0;
  }
  std::size_t total = 0;
  unsigned sum = 0;
  for (const pd::TensorView& tensor : parts.tensors) {
    total += tensor.bytes.size();
    for (const std::uint8_t byte : tensor.bytes) {
      sum += byte;  // read, for the address sanitizer
    }
    std::size_t count = pd::size_of(tensor.dtype);
    for (const std::int64_t length : tensor.shape) {
      require(length >= 0, "sizes are not negative");
      count *= static_cast<std::size_t>(length);
    }
    require(count == tensor.bytes.size(), "bytes fit the shape");
    require(parts.find(tensor.name) != nullptr, "tensors are found by name");
  }
  require(total <= size && sum <= 255U * size, "tensors are inside the file");

  std::string again = pd::safetensors_header(parts.tensors, parts.metadata);
  again.append(total, '\0');
  const pd::Safetensors second =
      pd::parse_safetensors({reinterpret_cast<const std::uint8_t*>(again.data()), again.size()}, "again");
  require(second.metadata == parts.metadata, "metadata is written as it was read");
  require(second.tensors.size() == parts.tensors.size(), "tensors are written as they were read");
  for (const pd::TensorView& tensor : parts.tensors) {
    const pd::TensorView* found = second.find(tensor.name);
    require(found != nullptr && found->dtype == tensor.dtype && found->shape == tensor.shape,
            "tensors are written as they were read");
  }
  return 0;
}
