#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pair/data/pickle.h"
#include "pair/data/torch_file.h"
#include "tests/fuzz/require.h"

// For any bytes, the readers of PyTorch's files and of pickles refuse with a short sentence, or return
// tensors whose bytes match their shapes.

namespace {

void check_sentence(std::string_view sentence) {
  using pair::fuzz::require;
  require(!sentence.empty() && sentence.size() < 1000, "a sentence is short");
  require(sentence.find('\n') == std::string_view::npos, "a sentence is one line");
}

void check_pickle(pair::data::BytesView bytes, pair::data::PersistentIds ids) {
  namespace pd = pair::data;
  try {
    const pd::Pickle pickle = pd::read_pickle(bytes, ids);
    pair::fuzz::require(pickle.length <= bytes.size(), "a pickle is inside the bytes");
  } catch (const pd::RefusedPickle& error) {
    check_sentence(error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pair::fuzz::require;
  namespace pd = pair::data;
  const pd::BytesView file(data, size);
  if (!pd::is_torch_file(file)) {
    check_pickle(file, pd::PersistentIds::storages);
    check_pickle(file, pd::PersistentIds::opaque);
    return 0;
  }
  try {
    const pd::TorchTensors parts = pd::parse_torch_file(file, "input");
    require(!parts.tensors.empty(), "a file has tensors");
    unsigned sum = 0;
    for (const pd::TensorView& tensor : parts.tensors) {
      std::size_t count = pd::size_of(tensor.dtype);
      for (const std::int64_t length : tensor.shape) {
        require(length >= 0, "sizes are not negative");
        count *= static_cast<std::size_t>(length);
      }
      require(count == tensor.bytes.size(), "bytes fit the shape");
      for (const std::uint8_t byte : tensor.bytes) {
        sum += byte;  // read, for the address sanitizer
      }
    }
    require(sum < 0xffffffffU, "numbers are read");
  } catch (const std::runtime_error& error) {
    const std::string_view sentence = error.what();
    check_sentence(sentence);
    require(sentence.starts_with("input"), "a sentence names the file");
  }
  return 0;
}
